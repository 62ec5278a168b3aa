"""A sign-in link by mail: the same answer for every address, few mails, and a link that works once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from workspaces.caller import Caller
from workspaces.models import SignInLink
from workspaces.services.users import set_active

pytestmark = pytest.mark.django_db

ADDRESS = "/sign-in/forgotten/"


@pytest.fixture
def mails(settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example"


def ask(email: str) -> tuple[int, str]:
    answer = Client().post(ADDRESS, {"email": email})
    text = answer.content.decode()
    return answer.status_code, re.sub(r'value="[^"]*"', "", text[text.index("<h1") :])


@pytest.mark.usefixtures("mails")
def test_a_link_is_mailed_and_signs_in_once(mia: Caller, drain_jobs: Callable[..., object]) -> None:
    ask(f" {mia.member.user.email.upper()} ")
    drain_jobs()

    (message,) = mail.outbox
    found = re.search(r"/sign-in/link/\S+", str(message.body))
    assert found is not None
    opened = Client().get(found[0])
    first, second = Client().post(found[0]), Client().post(found[0])
    assert (message.to, opened.status_code) == ([mia.member.user.email], 200)
    assert (first.status_code, second.status_code) == (302, 409)


@pytest.mark.usefixtures("mails")
def test_who_is_unknown_or_off_gets_the_same_answer_and_no_mail(
    alice: Caller, mia: Caller, drain_jobs: Callable[..., object]
) -> None:
    set_active(mia.member.user, is_active=False)

    answers = [ask(email) for email in (alice.member.user.email, mia.member.user.email, "nobody@example.com", "\x00")]
    drain_jobs()

    assert len(set(answers)) == 1
    assert [message.to for message in mail.outbox] == [[alice.member.user.email]]


@pytest.mark.usefixtures("mails")
def test_nobody_is_flooded(alice: Caller, drain_jobs: Callable[..., object]) -> None:
    statuses = [ask(alice.member.user.email)[0] for _ in range(5)]
    drain_jobs()

    assert (statuses, len(mail.outbox)) == ([200, 200, 200, 429, 429], 3)


def test_without_a_mail_server_the_page_says_who_helps(alice: Caller, drain_jobs: Callable[..., object]) -> None:
    page = Client().get(ADDRESS).content.decode()
    ask(alice.member.user.email)
    drain_jobs()

    assert "This instance sends no mail." in page
    assert (mail.outbox, SignInLink.objects.count()) == ([], 0)
