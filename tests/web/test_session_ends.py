"""A session that ended while somebody was writing: nothing is saved, and nothing of what they wrote is lost."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from boards.models import Board, Card, CardFile, Comment
from tests.factories.boards import make_board, make_card
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, text_of, url
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

LONG = 'A long thought.\n<script>alert("1")</script>\n' * 40


@pytest.fixture
def board(alice: Caller) -> Board:
    return make_board(alice)


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board)


def send(client: Client, action: str, form: dict[str, str], **headers: str) -> Any:
    """Send it as a browser sends a form without files."""
    body = urlencode(form)
    return client.post(action, body, content_type="application/x-www-form-urlencoded", headers=headers)


def signed_out(client: Client) -> Client:
    client.post(url("sign-out"))
    return client


@pytest.mark.requirement("C089")
def test_a_comment_comes_back_with_the_way_to_sign_in_and_return(alice: Caller, card: Card) -> None:
    client, action = browser(alice), url("add-comment", card.pk)
    form, back = form_of(client.get(url("card", card.pk)), action), f"http://testserver{url('card', card.pk)}"

    refused = send(signed_out(client), action, {**form, "text": LONG}, Referer=back)

    assert (refused.status_code, code_of(refused)) == (401, "SIGNED_OUT")
    assert refused.context["typed"] == {"text": LONG}
    assert text_of(refused).count("&lt;script&gt;alert(&quot;1&quot;)") == 40
    assert "<script>alert" not in text_of(refused)
    assert f'href="{url("sign-in")}?next={quote(back, safe="")}"' in text_of(refused)
    assert Comment.objects.count() == 0


@pytest.mark.requirement("C089")
def test_with_scripts_the_form_stays_and_is_sent_again_after_signing_in(alice: Caller, card: Card) -> None:
    client, action = browser(alice), url("add-comment", card.pk)
    form = {**form_of(client.get(url("card", card.pk)), action), "text": LONG}

    refused = signed_out(client).post(action, form, headers=HTMX)
    client.force_login(alice.member.user)
    answers = [client.post(action, form, headers=HTMX) for _ in range(2)]

    assert (refused.status_code, code_of(refused)) == (401, "SIGNED_OUT")
    assert (refused["HX-Retarget"], "HX-Redirect" in refused) == ("#notices", False)
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [comment.text for comment in Comment.objects.all()] == [LONG]


def test_of_a_new_card_title_and_brief_come_back_and_nothing_else(board: Board) -> None:
    sent = {"title": "Buy salt", "brief": "Coarse.", "stage_id": "x", "request_id": "r-1", "csrfmiddlewaretoken": "t"}

    refused = send(Client(), url("add-card", board.pk), sent)

    assert refused.context["typed"] == {"title": "Buy salt", "brief": "Coarse."}
    assert Card.objects.count() == 0


def test_a_way_back_that_leads_elsewhere_is_not_taken(board: Board) -> None:
    refused = send(Client(), url("add-card", board.pk), {"title": "x"}, Referer="https://evil.example/")

    assert refused.context["next"] == url("home")


@pytest.mark.requirement("C089")
def test_a_form_of_another_site_is_given_nothing_back(card: Card) -> None:
    client = Client(enforce_csrf_checks=True)

    written = send(client, url("add-comment", card.pk), {"text": "You have won"})
    uploaded = send(client, url("add-files", card.pk), {"text": "You have won"})

    assert (written.status_code, code_of(written)) == (403, "FORM_EXPIRED")
    assert (uploaded.status_code, code_of(uploaded)) == (401, "SIGNED_OUT")
    assert "You have won" not in text_of(written) + text_of(uploaded)
    assert (Comment.objects.count(), CardFile.objects.count()) == (0, 0)
