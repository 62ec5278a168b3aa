"""sign_in_link, from the shell: a way in for somebody who has an account."""

from __future__ import annotations

import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from tests.web.pages import text_of
from workspaces.caller import Caller
from workspaces.models import SignInLink, User


def test_it_prints_a_link_that_signs_in_once(alice: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("sign_in_link", f" {alice.member.user.email.upper()} ")
    printed = capsys.readouterr()
    found = re.fullmatch(r"Sign in once, within an hour: http\S+?(/sign-in/link/\S+/)\n", printed.out)
    client = Client()

    assert found is not None
    page = client.get(found[1])
    answers = [client.post(found[1]), Client().post(found[1])]

    assert "works once" in text_of(page)
    assert [answer.status_code for answer in answers] == [302, 409]
    assert client.get("/").status_code == 200
    assert printed.err == ""


def test_it_refuses_who_has_no_account_or_may_not_enter(alice: Caller) -> None:
    User.objects.filter(pk=alice.member.user.pk).update(is_active=False)

    for address in ("nobody@example.com", "no address", "", alice.member.user.email):
        with pytest.raises(CommandError):
            call_command("sign_in_link", address)

    assert SignInLink.objects.count() == 0


@pytest.mark.parametrize("command", ["create_workspace", "invite_member", "sign_in_link"])
def test_what_is_read_is_free_of_log_lines(
    alice: Caller, command: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    email = alice.member.user.email
    arguments = {
        "create_workspace": ["Nora's Noodles", "nora@example.com"],
        "invite_member": [str(alice.workspace.pk), "nora@example.com", "--by", email],
        "sign_in_link": [email],
    }[command]
    caplog.clear()

    with caplog.at_level("INFO"):
        call_command(command, *arguments)

    assert caplog.records == []
    assert "/" in capsys.readouterr().out
