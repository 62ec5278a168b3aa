"""create_workspace, from the shell."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from bakedbrie.embedded.data_folder import CODE
from tests.factories.workspaces import make_user, token_caller
from workspaces.models import AuditEntry, Member, User, Workspace
from workspaces.roles import Role
from workspaces.services.sign_in_links import use_link
from workspaces.states import Preset

pytestmark = pytest.mark.django_db
EMAIL = "nora@example.com"


def run(*arguments: str, name: str = "Nora's Noodles", email: str = EMAIL) -> str:
    out = io.StringIO()
    call_command("create_workspace", name, email, *arguments, stdout=out)
    return out.getvalue()


def found(pattern: str, printed: str) -> str:
    match = re.search(pattern, printed)
    assert match is not None
    return match[1]


def test_it_makes_workspace_owner_and_a_way_in() -> None:
    printed = run("--owner-name", "Nora Noor")

    member = Member.objects.select_related("user", "workspace", "actor").get()
    password = found(r"Password, shown only now: (\S+)", printed)
    assert (member.role, member.user.email, member.actor.name) == (Role.OWNER, EMAIL, "Nora Noor")
    assert (member.workspace.name, member.user.is_staff) == ("Nora's Noodles", False)
    assert member.user.check_password(password)
    assert use_link(found(r"/sign-in/link/([^/]+)/", printed)) == member.user
    assert list(AuditEntry.objects.values_list("verb", flat=True)) == ["workspace.created"]


@pytest.mark.requirement("W011")
def test_a_token_is_minted_only_when_asked_for() -> None:
    silent, printed = run(), run("--token", name="Second")

    caller = token_caller(found(r"(bb_\S+)", printed))
    assert "bb_" not in silent
    assert (caller.workspace.name, caller.role, caller.preset) == ("Second", Role.OWNER, Preset.FULL_CONTROL)


def test_the_password_can_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))

    printed = run("--password-stdin")

    assert "correct horse battery" not in printed
    assert User.objects.get().check_password("correct horse battery")


def test_a_weak_password_makes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("noodles\n"))

    with pytest.raises(CommandError, match="12"):
        run("--password-stdin")

    assert (User.objects.count(), Workspace.objects.count()) == (0, 0)


@pytest.mark.parametrize(("name", "email"), [("", EMAIL), ("\n", EMAIL), ("x" * 121, EMAIL), ("Fine", "no address")])
def test_odd_names_and_addresses_make_nothing(name: str, email: str) -> None:
    with pytest.raises(CommandError):
        run(name=name, email=email)

    assert (User.objects.count(), Workspace.objects.count()) == (0, 0)


def test_an_account_that_exists_is_used_as_it_is() -> None:
    user = make_user()
    before = user.password

    printed = run("--operator", email=user.email.upper())

    user.refresh_from_db()
    assert "Password" not in printed
    assert (user.password, user.is_staff, user.is_superuser) == (before, True, True)
    assert Member.objects.get().user == user


def test_without_a_database_it_says_what_to_start(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "create_workspace", "Nora's Noodles", EMAIL]
    environment = {**os.environ, "DATABASE_HOST": str(tmp_path)}
    done = subprocess.run(command, cwd=CODE, env=environment, capture_output=True, text=True, check=False, timeout=120)

    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: The database cannot be reached. Is BakedBrie up (make up)")
    assert "Traceback" not in done.stderr
