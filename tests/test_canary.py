"""The canary itself: it sees a planted secret wherever it looks, and what holds a secret does not show it."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client

from agents.calls.keys import open_key
from agents.models import AiAccount
from agents.providers import KINDS
from agents.providers.base import Ask, Image
from tests.factories.agents import make_account
from tests.factories.boards import make_board, make_card
from tests.support import canary
from tests.support.canary import KEY
from tests.support.cast import token_of
from tests.support.fake_provider import FakeProvider
from tests.support.fake_service import Received
from workspaces.access import caller_from_token
from workspaces.caller import Caller
from workspaces.models import SealedSecret, SecretDrop, Token
from workspaces.services.secrets import open_secret

logger = logging.getLogger(__name__)


@pytest.fixture
def seen(canary: None) -> Iterator[list[str]]:
    """What was seen so far, forgotten before the canary itself counts it."""
    yield _seen()
    _seen().clear()


def _seen() -> list[str]:
    return canary._seen


def test_it_sees_log_records_with_their_extras_and_errors(seen: list[str]) -> None:
    logger.warning("The key is %s", KEY)
    logger.warning("A key", extra={"given": {"key": KEY}})
    try:
        raise ValueError(KEY)
    except ValueError:
        logger.exception("It failed")

    assert seen == [f"a log record of {__name__}"] * 3


def test_it_sees_the_arguments_of_children(seen: list[str]) -> None:
    subprocess.run([sys.executable, "-c", "", KEY], check=True)

    assert seen == ["the arguments of a process"]


def test_it_sees_what_an_outside_service_is_sent_but_lets_the_header_pass(seen: list[str]) -> None:
    Received(method="POST", path="/", headers={"x-api-key": KEY}, body=KEY.encode())
    Received(method="POST", path="/", headers={"x-api-key": KEY}, body=b"Oven")

    assert seen == ["what an outside service was sent"]


@pytest.mark.django_db
def test_it_sees_answers_and_rows(alice: Caller, seen: list[str]) -> None:
    token = token_of(alice)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    make_card(alice, make_board(alice, name="Keys"), title=f"{token} and {KEY}")

    client.post("/api/v1/tools/list_boards", {}, content_type="application/json")
    canary._look_at_rows()

    assert set(seen) == {"a row of boards_card"}
    make_board(alice, name=token)
    client.post("/api/v1/tools/list_boards", {}, content_type="application/json")
    assert "the answer to POST /api/v1/tools/list_boards" in seen
    transaction.set_rollback(True)  # the canary itself does not look at rows that are lost


@pytest.mark.requirement("I001", "W025")
@pytest.mark.django_db
def test_nothing_that_holds_a_secret_shows_it(alice: Caller, settings: object) -> None:
    raw = token_of(alice)
    with FakeProvider() as service:
        settings.OUTBOUND_LOOPBACK = [service.pair]  # type: ignore[attr-defined]  # pytest-django's settings
        account = make_account(alice, service)
    key = open_key(account.provider, account.secret)
    assert account.secret is not None
    request = KINDS[account.provider].ask(
        Ask(
            base_url="https://example.com",
            model="m",
            system=KEY,
            text=KEY,
            images=(Image(media_type="image/png", data=KEY.encode()),),
            answer_tokens=1,
            timeout_s=1,
        )
    )
    holders: list[object] = [key, open_secret(account.secret), account, caller_from_token(raw), request]
    holders += [*SealedSecret.objects.all(), *SecretDrop.objects.all(), *Token.objects.all(), *AiAccount.objects.all()]

    shown = [f"{one!r} {one}" for one in holders]

    assert [text for text in shown if raw in text or KEY in text] == []
