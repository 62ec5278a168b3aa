"""Sign-in links: one hour, one use, for an account that is on."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import resolve

from bakedbrie.lib.refusals import Refused
from tests.factories.workspaces import PASSWORD, make_user
from tests.support.races import at_once, codes
from workspaces.models import SignInLink
from workspaces.services.retention import forget_old
from workspaces.services.sign_in_links import make_link, use_link
from workspaces.services.users import set_active

pytestmark = pytest.mark.django_db


def raw_of(path: str) -> str:
    match = resolve(path)
    assert match.url_name == "sign-in-link"
    return str(match.kwargs["raw"])


def code_of(raw: str) -> str:
    with pytest.raises(Refused) as refused:
        use_link(raw)
    return refused.value.code


def test_a_link_signs_its_person_in_once() -> None:
    user = make_user()
    raw = raw_of(make_link(user))

    assert use_link(raw) == user
    assert code_of(raw) == "LINK_EXPIRED"


def test_only_the_digest_of_a_link_is_kept() -> None:
    raw = raw_of(make_link(make_user()))

    link = SignInLink.objects.get()
    assert len(raw) == 43
    assert raw not in repr(vars(link)) + str(link)


def test_a_link_lasts_an_hour() -> None:
    early, late = raw_of(make_link(make_user())), raw_of(make_link(make_user()))
    first, second = SignInLink.objects.order_by("pk")
    SignInLink.objects.filter(pk=first.pk).update(expires_at=F("expires_at") - timedelta(minutes=59, seconds=30))
    SignInLink.objects.filter(pk=second.pk).update(expires_at=F("expires_at") - timedelta(hours=1, seconds=1))

    assert use_link(early).is_active
    assert code_of(late) == "LINK_EXPIRED"


@pytest.mark.parametrize("raw", ["", "x", "é\x00", "x" * 10_000])
def test_made_up_links_answer_like_used_ones(raw: str) -> None:
    assert code_of(raw) == "LINK_EXPIRED"


def test_a_link_of_an_account_that_is_off_is_worth_nothing() -> None:
    user = make_user()
    raw = raw_of(make_link(user))

    set_active(user, is_active=False)

    assert code_of(raw) == "LINK_EXPIRED"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_use_it_at_once_one_is_signed_in() -> None:
    raw = raw_of(make_link(make_user()))

    assert codes(at_once(partial(use_link, raw), partial(use_link, raw))) == ["LINK_EXPIRED", "done"]


def test_old_links_are_forgotten() -> None:
    make_link(make_user())
    make_link(make_user(), lifetime=timedelta(days=-2))

    assert forget_old()["links"] == 1
    assert SignInLink.objects.count() == 1


def test_sessions_that_are_over_are_forgotten() -> None:
    user, kept, over = make_user(), Client(), Client()
    for client in (kept, over):
        client.post("/sign-in/", {"email": user.email, "password": PASSWORD})
    Session.objects.filter(pk=over.session.session_key).update(expire_date=Now() - timedelta(minutes=1))

    counts = forget_old()

    assert counts["sessions"] == 1
    assert list(Session.objects.values_list("pk", flat=True)) == [kept.session.session_key]
    assert list(UserSession.objects.values_list("session_key", flat=True)) == [kept.session.session_key]
