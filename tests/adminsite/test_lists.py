"""Every list of the admin: searched, paged, with a constant number of statements, and without a way past a service."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import PeriodicTask

from boards.models import Card
from tests.adminsite.conftest import fill, make_tick
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Invite, Member, StorageUse, User
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin
from workspaces.roles import Role
from workspaces.services.members import add_member
from workspaces.services.users import set_operator

pytestmark = pytest.mark.django_db

SITE = admin.site._registry
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", re.IGNORECASE)


def listed(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def test_every_page_stands_on_our_ground_rules() -> None:
    own = {model: page for model, page in SITE.items() if isinstance(page, OwnedAdmin)}
    unsearched = [model for model, page in own.items() if not page.search_fields]
    written = [
        model
        for model, page in own.items()
        if not isinstance(page, MachineRowAdmin) and type(page).save_model is OwnedAdmin.save_model
    ]

    assert own == SITE
    assert unsearched == []
    assert written == []
    assert {page.list_per_page for page in own.values()} == {50}


def statements(client: Client, models: list[type[Model]]) -> dict[str, int]:
    """Return how many statements each list takes."""
    counts = {}
    for path in map(listed, models):
        with CaptureQueriesContext(connection) as caught:
            assert client.get(path).status_code == 200, path
        counts[path] = len(caught)
    return counts


@pytest.mark.parametrize("is_operator", [True, False])
def test_more_rows_take_no_more_statements(
    is_operator: bool, alice: Caller, operator: Client, provider: FakeProvider
) -> None:
    client = operator if is_operator else browser(alice)
    models = [model for model in SITE if model is not PeriodicTask]
    fill(alice, provider)
    before = statements(client, models)
    for n in (2, 3):
        fill(alice, provider, n)

    after = statements(client, models)

    assert after == before
    assert max(after.values()) <= 12
    assert {client.get(f"{listed(model)}?q=a").status_code for model in models} == {200}


def test_only_people_and_quotas_are_added_and_nothing_is_deleted(alice: Caller, provider: FakeProvider) -> None:
    set_operator(alice.member.user, is_operator=True)
    client = browser(alice)
    fill(alice, provider)

    added = {model for model in SITE if client.get(f"{listed(model)}add/").status_code == 200}
    deleted = [
        client.post(f"{listed(model)}{row.pk}/delete/", {"post": "yes"}).status_code
        for model in SITE
        if (row := model._default_manager.first()) is not None
    ]

    assert added == {Member, Invite, User, StorageUse}
    assert set(deleted) == {403}


def test_no_page_holds_inline_scripts_or_styles(alice: Caller, operator: Client, provider: FakeProvider) -> None:
    fill(alice, provider)
    make_tick()
    rows = [(model, model._default_manager.order_by("pk").first()) for model in SITE]
    paths = [listed(model) for model in SITE] + [f"{listed(model)}{row.pk}/change/" for model, row in rows if row]
    asked = {"action": "remove", "_selected_action": [str(Member.objects.earliest("pk").pk)]}
    some = (
        "/admin/",
        "/admin/workspaces/user/add/",
        f"{listed(Member)}{alice.member.pk}/history/",
    )

    pages = [operator.get(path) for path in (*paths, *some)]
    pages += [browser(alice).get("/admin/"), browser(alice).post(listed(Member), asked)]

    assert {page.status_code for page in pages} == {200}
    assert [INLINE.findall(page.content.decode()) for page in pages if INLINE.search(page.content.decode())] == []
    policies = [page["Content-Security-Policy"].split("; ") for page in pages]
    assert [policy for policy in policies if "script-src 'self'" not in policy] == []


def test_ticks_are_read_by_operators_alone(alice: Caller, operator: Client) -> None:
    tick = make_tick()

    seen = [client.get(listed(PeriodicTask)).status_code for client in (operator, browser(alice))]
    changed = operator.post(f"{listed(PeriodicTask)}{tick.pk}/change/", {"name": "other"})
    opened = browser(alice).get(f"{listed(PeriodicTask)}{tick.pk}/change/")

    assert seen == [200, 403]
    assert (changed.status_code, opened.status_code) == (403, 403)


def test_a_filter_offers_the_codes_that_stand_in_rows_and_no_empty_one(
    alice: Caller, operator: Client, provider: FakeProvider
) -> None:
    card = fill(alice, provider).card
    Card.objects.filter(pk=card.pk).update(badge_reason="OUTCOME_UNKNOWN")

    page = operator.get(f"{listed(Card)}?badge_reason=OUTCOME_UNKNOWN")

    assert page.context["cl"].result_count == 1
    assert '?badge_reason="' not in page.content.decode()


def test_a_list_is_filtered_by_workspace(alice: Caller, charlie: Caller, operator: Client) -> None:
    path = listed(AuditEntry)

    everything, hers, misspelt = (
        operator.get(path + query) for query in ("", f"?workspace={alice.workspace.pk}", "?workspace=x")
    )
    foreign = browser(alice).get(f"{path}?workspace={charlie.workspace.pk}")

    counts = [page.context["cl"].result_count for page in (everything, hers, misspelt, foreign)]
    assert counts == [2, 1, 0, 0]
    assert "Charlie" not in foreign.content.decode()


def test_who_is_in_another_workspace_too_is_not_told(alice: Caller, charlie: Caller, mia: Caller) -> None:
    add_member(charlie, user=mia.member.user, role=Role.MEMBER)

    page = browser(alice).get(f"{listed(User)}?workspace={charlie.workspace.pk}")

    assert page.context["cl"].result_count == 0
