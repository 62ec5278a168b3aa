"""Changing the sealing key: everything sealed again, beside running work, until the old key can go."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import override_settings

from bakedbrie.lib import sealing
from tests.factories.workspaces import make_workspace
from tests.support.canary import KEY
from tests.support.races import in_thread, wait_until_waiting
from tests.support.second_step import code_of_app, turned_on
from workspaces.caller import Caller
from workspaces.models import SealedSecret
from workspaces.services import key_rotation
from workspaces.services.key_rotation import count_by_key, reseal_secrets
from workspaces.services.second_step import check_code
from workspaces.services.secrets import destroy_secret, open_secret, seal_secret
from workspaces.services.tries import Origin
from workspaces.states import SecretPurpose

OLD, NEW, LOST = (
    f"{name}:{base64.b64encode(bytes(range(start, start + 32))).decode()}"
    for name, start in (("old", 0), ("new", 32), ("lost", 64))
)


@pytest.fixture(autouse=True)
def old_key() -> Iterator[None]:
    with override_settings(SEALING_KEYS=OLD):
        yield


def sealed_for(owner: Caller, value: str = KEY) -> SealedSecret:
    return seal_secret(owner.workspace, purpose=SecretPurpose.AI_ACCOUNT, value=value)


def opened(secret: SealedSecret) -> str:
    return open_secret(SealedSecret.objects.get(pk=secret.pk)).reveal()


def run(*arguments: str) -> tuple[str, bool]:
    """Return what the command printed, and whether it was content."""
    out = io.StringIO()
    try:
        call_command("rotate_keys", *arguments, stdout=out)
    except CommandError as error:
        return out.getvalue() + str(error), False
    return out.getvalue(), True


@pytest.mark.django_db
def test_after_a_rotation_the_old_key_can_go(alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_rotation, "AT_ONCE", 2)
    secrets = [sealed_for(owner) for owner in (alice, charlie, alice, charlie, alice)]
    gone = sealed_for(alice)
    destroy_secret(gone)
    seed, _ = turned_on(alice.member.user)

    with override_settings(SEALING_KEYS=f"{NEW},{OLD}"):
        before = run("--check")
        printed = run()
        after = run("--check")

    assert before[0].splitlines() == [
        "the key new (seals): 0 secrets",
        "the key old (opens): 7 secrets",
        "7 secrets not yet under the key new. Keep the older keys.",
    ]
    assert printed[0].splitlines()[0] == "7 secrets sealed again under the key new."
    assert (before[1], printed[1], after[1]) == (False, True, True)
    with override_settings(SEALING_KEYS=NEW):
        assert [opened(secret) for secret in secrets] == [KEY] * 5
        check_code(alice.member.user, code=code_of_app(seed, 1), origin=Origin())
        assert run("--check") == (
            "the key new (seals): 7 secrets\nEverything opens with the key new; the others may go.\n",
            True,
        )
    gone.refresh_from_db()
    assert gone.sealed is None


@pytest.mark.django_db
def test_a_rotation_that_was_stopped_goes_on_where_it_was(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_rotation, "AT_ONCE", 2)
    secrets = [sealed_for(alice) for _ in range(5)]

    with override_settings(SEALING_KEYS=f"{NEW},{OLD}"):
        next(reseal_secrets())
        half = dict(count_by_key())
        everything_opens = [opened(secret) for secret in secrets] == [KEY] * 5
        printed, _ = run()

    assert half == {"new": 2, "old": 3}
    assert everything_opens
    assert printed.splitlines()[0] == "3 secrets sealed again under the key new."


@pytest.mark.django_db
def test_a_secret_of_an_unknown_key_is_named_and_never_shown(alice: Caller) -> None:
    with override_settings(SEALING_KEYS=LOST):
        lost = sealed_for(alice)
    damaged = sealed_for(alice)
    SealedSecret.objects.filter(pk=damaged.pk).update(sealed=b"\x00" + bytes(damaged.sealed or b"")[1:])
    kept = sealed_for(alice)

    with override_settings(SEALING_KEYS=f"{NEW},{OLD}"):
        printed, is_content = run()
        counted, _ = run("--check")

        assert opened(kept) == KEY
    workspace = alice.workspace.pk
    assert not is_content
    assert printed.splitlines()[:3] == [
        "1 secret sealed again under the key new.",
        f"Stays shut: {lost.pk} (ai_account) of workspace {workspace}, sealed with the key lost",
        f"Stays shut: {damaged.pk} (ai_account) of workspace {workspace}, sealed with an unreadable key",
    ]
    assert "the key lost (is not in SEALING_KEYS): 1 secret" in counted.splitlines()
    for shown in (printed, counted):
        assert KEY not in shown
        assert not [key for key in (OLD, NEW, LOST) if key.partition(":")[2] in shown]


@pytest.mark.django_db(transaction=True)
def test_a_secret_that_is_destroyed_meanwhile_stays_destroyed() -> None:
    first, second = (sealed_for(make_workspace(name=name, owner=name)) for name in ("Ada", "Bo"))

    with override_settings(SEALING_KEYS=f"{NEW},{OLD}"):
        with transaction.atomic():
            destroy_secret(first)
            rotation = in_thread(lambda: sum(batch.resealed for batch in reseal_secrets()))
            wait_until_waiting()
        resealed = rotation.outcome()

        assert opened(second) == KEY
    assert resealed == 1
    assert SealedSecret.objects.get(pk=first.pk).sealed is None


@pytest.mark.django_db
def test_what_the_first_key_sealed_already_is_not_written_again(alice: Caller) -> None:
    with override_settings(SEALING_KEYS=NEW):
        for _ in range(3):
            sealed_for(alice)

        with connection.execute_wrapper(no_update):
            list(reseal_secrets())

        assert dict(count_by_key()) == {"new": 3}


def no_update(execute: object, sql: str, *arguments: object) -> object:
    assert not sql.startswith("UPDATE")
    return execute(sql, *arguments)  # type: ignore[operator]


def test_a_new_key_can_be_put_in_front_of_a_file_of_keys() -> None:
    first, _ = run("--new-key")
    second, _ = run("--new-key")

    assert first != second
    with override_settings(SEALING_KEYS=f"{first}{second}{OLD}\n"):
        names = sealing.key_names()
    assert names == (first.partition(":")[0], second.partition(":")[0], "old")
