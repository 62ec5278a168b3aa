"""The quota of a workspace: operators set it in the admin, and the audit trail of the workspace tells of it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.workspaces import PASSWORD
from tests.support.cast import browser
from workspaces.caller import Caller
from workspaces.models import AuditEntry, StorageUse, User
from workspaces.services.room import Usage, take_room, usage_of
from workspaces.web.audit_words import sentence_of

pytestmark = pytest.mark.django_db

ADD = reverse("admin:workspaces_storageuse_add")


@pytest.fixture
def operator(db: None) -> Client:
    """Runs the server and belongs to no workspace."""
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", PASSWORD, name="Root"))
    return client


def change(client: Client, use: StorageUse, **fields: str) -> int:
    return client.post(reverse("admin:workspaces_storageuse_change", args=[use.pk]), fields).status_code


@pytest.mark.requirement("V028")
def test_an_operator_sets_it_and_takes_it_back_and_both_are_told(operator: Client, alice: Caller) -> None:
    take_room(alice.workspace.pk, 120)
    use = StorageUse.objects.get()

    statuses = [change(operator, use, quota_bytes="500"), change(operator, use, quota_bytes="500")]
    given = usage_of(alice.workspace.pk)
    statuses.append(change(operator, use, quota_bytes=""))

    use.refresh_from_db()
    entries = AuditEntry.objects.filter(verb="workspace.quota_changed").order_by("pk")
    assert (statuses, given, use.quota_bytes) == ([302, 302, 302], Usage(bytes=120, quota_bytes=500), None)
    assert [entry.data for entry in entries] == [{"before": None, "after": 500}, {"before": 500, "after": None}]
    assert {entry.actor.name for entry in entries} == {"Operator root@example.com"}
    assert sentence_of(entries[0], {}) == ("set the room for files to 500\xa0bytes, before what every workspace gets")


def test_a_workspace_that_stored_nothing_yet_gets_one(operator: Client, alice: Caller) -> None:
    answer = operator.post(ADD, {"workspace": str(alice.workspace.pk), "quota_bytes": "1000"})

    assert (answer.status_code, usage_of(alice.workspace.pk)) == (302, Usage(bytes=0, quota_bytes=1000))


@pytest.mark.parametrize("wrong", ["-1", "many", "99999999999999999999"])
def test_what_is_no_quota_is_not_taken(operator: Client, alice: Caller, wrong: str) -> None:
    take_room(alice.workspace.pk, 1)
    use = StorageUse.objects.get()

    assert change(operator, use, quota_bytes=wrong) == 200

    use.refresh_from_db()
    assert (use.quota_bytes, AuditEntry.objects.filter(verb="workspace.quota_changed").count()) == (None, 0)


def test_an_owner_reads_it_and_changes_nothing(alice: Caller) -> None:
    take_room(alice.workspace.pk, 1)
    owner, use = browser(alice), StorageUse.objects.get()

    seen = owner.get(reverse("admin:workspaces_storageuse_change", args=[use.pk])).status_code
    statuses = (seen, change(owner, use, quota_bytes="5"), owner.get(ADD).status_code)

    use.refresh_from_db()
    assert (statuses, use.quota_bytes) == ((200, 403, 403), None)
