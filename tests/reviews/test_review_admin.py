"""The admin of reviews, asks and destinations: each row opens under the policy of the pages, and nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db.models import Model
from django.test import Client

from agents.models import Approval, Permit
from agents.services.approvals import Question, open_approval
from destinations.models import BoardDestination, CardDestination, Delivery, DeliveryStep, Destination
from destinations.services.uses import set_override
from reviews.models import Decision, Review, ReviewFile
from tests.factories.boards import make_card
from tests.factories.destinations import bare_destination, queued_delivery
from tests.factories.reviews import decide, switch_on, work
from tests.factories.workflows import Line
from tests.support.cast import browser

pytestmark = pytest.mark.django_db(transaction=True)

INLINE = re.compile(r"<script(?![^>]*(?: src=| type=.application/json))|<style|\sstyle=|\son[a-z]+=")
WRITABLE = re.compile(r'<(?:input|textarea|select)(?![^>]*type="hidden")[^>]*name="(?!q"|csrf)([^"]+)"')


def reviewed(line: Line) -> None:
    decide(line.caller, work(line), note="Good.")


def asked(line: Line) -> None:
    turn = line.start()
    open_approval(turn, Question(area="read_files", target=turn.pk, shown=({"name": "prices.csv"},)))
    Permit.objects.create(agent=line.agent, area="deliver", target=turn.pk, given_by=line.caller.actor)


def sent(line: Line) -> None:
    switch_on(line.caller, "destinations")
    destination = bare_destination(line.caller, line.board)
    card = make_card(line.caller, line.board, title="Offer")
    set_override(line.caller, destination=destination, card=card)
    queued_delivery(line.caller, card, destination)


@pytest.fixture
def operator(line: Line) -> Client:
    client = browser(line.caller)
    line.caller.member.user.is_staff = line.caller.member.user.is_superuser = True
    line.caller.member.user.save()
    return client


@pytest.mark.parametrize(
    ("model", "make"),
    [
        *((model, reviewed) for model in (Review, ReviewFile, Decision)),
        *((model, asked) for model in (Approval, Permit)),
        *((model, sent) for model in (Destination, BoardDestination, CardDestination, Delivery, DeliveryStep)),
    ],
)
def test_a_row_opens_and_nothing_of_it_can_be_written(
    line: Line, operator: Client, model: type[Model], make: Callable[[Line], None]
) -> None:
    make(line)
    row = model._default_manager.get()
    path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"

    opened = operator.get(f"{path}{row.pk}/change/")
    text = opened.content.decode()

    assert opened.status_code == operator.get(path).status_code == 200
    assert "'unsafe-inline'" not in opened.headers["Content-Security-Policy"]
    assert INLINE.findall(text) == []
    assert WRITABLE.findall(text.partition('<div id="content')[2]) == []
    assert "canary" not in text
    assert operator.post(f"{path}{row.pk}/change/", {"state": "approved"}).status_code == 403
    assert operator.get(f"{path}add/").status_code == operator.post(f"{path}{row.pk}/delete/").status_code == 403
