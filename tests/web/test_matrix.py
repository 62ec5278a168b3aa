"""Every address of the pages, as a stranger, as somebody of another workspace, and with an id that never was.

Generated from the routes: a page whose id this does not know fails here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from agents.models import Turn
from bakedbrie.lib import ids
from boards.models import Board, Card
from tests.factories.boards import make_file
from tests.factories.workflows import make_line
from tests.support.cast import browser, token_of
from tests.support.fake_provider import FakeProvider
from workflows.web import urls as workflow_pages
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.web import urls as workspace_pages

pytestmark = pytest.mark.django_db

PAGES: list[URLPattern] = [*workflow_pages.urlpatterns, *workspace_pages.urlpatterns]
# Open to everybody by what they are for: their raw key is the right, and each has tests of its own.
KEYED = {"raw", "signed"}
OPEN = {"sign-in", "sign-out"}


def parameters(page: URLPattern) -> list[str]:
    return list(page.pattern.converters)


WITH_ID = [page for page in PAGES if parameters(page) and not KEYED & set(parameters(page))]
WITHOUT = [page for page in PAGES if not parameters(page) and page.name not in OPEN]


def name_of(page: URLPattern) -> str:
    return str(page.name)


@pytest.fixture
def known(alice: Caller, settings: Any) -> Iterator[dict[str, str]]:
    """One of each thing that an address may name, in Alice's workspace."""
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        line = make_line(alice, provider)
        turn = line.start()
        token_of(alice)
        yield {
            "board_id": str(line.board.pk),
            "stage_id": str(line.doing.pk),
            "card_id": str(turn.card_id),
            "turn_id": str(turn.pk),
            "file_id": str(make_file(alice, Card.objects.get(pk=turn.card_id)).pk),
            "token_id": str(Token.objects.get(member=alice.member).pk),
        }


def answers(client: Client, page: URLPattern, known: dict[str, str] | None) -> list[int]:
    """Return the statuses of GET and POST; without ``known``, every id is one that never was."""
    absent = str(ids.new_id())
    address = reverse(name_of(page), kwargs={name: (known or {}).get(name, absent) for name in parameters(page)})
    return [client.get(address).status_code, client.post(address).status_code]


def counts() -> list[int]:
    return [model._default_manager.count() for model in (Board, Card, Turn, Token)]


@pytest.mark.requirement("W002", "C092")
@pytest.mark.parametrize("page", WITH_ID, ids=name_of)
def test_somebody_of_another_workspace_gets_what_an_absent_id_gets(
    page: URLPattern, known: dict[str, str], charlie: Caller
) -> None:
    assert set(parameters(page)) <= set(known), "Name one of these in `known`."
    before = counts()

    foreign, absent = answers(browser(charlie), page, known), answers(browser(charlie), page, None)

    assert foreign == absent
    assert set(foreign) <= {404, 405}
    assert 404 in foreign
    assert counts() == before


@pytest.mark.parametrize("page", [*WITH_ID, *WITHOUT], ids=name_of)
def test_who_is_not_signed_in_is_sent_to_sign_in_and_changes_nothing(page: URLPattern, known: dict[str, str]) -> None:
    before = counts()

    statuses = answers(Client(), page, known)

    assert set(statuses) <= {302, 405}
    assert 302 in statuses
    assert counts() == before


@pytest.mark.requirement("W007", "B045")
@pytest.mark.parametrize("page", [page for page in WITH_ID if "token_id" not in parameters(page)], ids=name_of)
def test_a_member_without_access_to_the_board_gets_what_an_absent_id_gets(
    page: URLPattern, known: dict[str, str], mia: Caller
) -> None:
    assert answers(browser(mia), page, known) == answers(browser(mia), page, None)
