"""The first account of an instance, by the services and from the shell."""

from __future__ import annotations

import io

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.setup_code import setup_code, setup_path
from tests.factories.workspaces import make_user
from tests.support.races import at_once, codes
from workspaces.models import AuditEntry, Member, User, Workspace
from workspaces.roles import Role
from workspaces.services.first_run import make_first_owner

PASSWORD = "a warm loaf every day"


def make(code: str | None = None, email: str = "olga@example.com", password: str = PASSWORD) -> Member:
    return make_first_owner(
        code=setup_code(settings.SECRET_KEY) if code is None else code,
        name="Olga Owner",
        email=email,
        password=password,
        workspace="Bakery",
    )


def refusal_of(code: str | None = None, password: str = PASSWORD) -> Refused:
    with pytest.raises(Refused) as caught:
        make(code, password=password)
    return caught.value


@pytest.mark.django_db
def test_the_first_account_owns_its_workspace_and_operates_the_instance() -> None:
    member = make()

    user = User.objects.get()
    assert (user.email, user.name, user.is_staff, user.is_superuser) == ("olga@example.com", "Olga Owner", True, True)
    assert user.check_password(PASSWORD)
    assert (member.role, member.workspace.name, member.actor.name) == (Role.OWNER, "Bakery", "Olga Owner")
    assert list(AuditEntry.objects.values_list("verb", flat=True)) == ["workspace.created"]


@pytest.mark.django_db
@pytest.mark.parametrize("code", ["", "a" * 26, "é"])
def test_who_does_not_know_the_code_makes_nothing(code: str) -> None:
    refused = refusal_of(code)

    assert (refused.code, refused.refusal.status) == ("SETUP_CODE_WRONG", 403)
    assert User.objects.count() == 0


@pytest.mark.django_db
def test_where_somebody_is_the_code_opens_nothing() -> None:
    make_user()

    assert refusal_of().code == "NOT_FOUND"
    assert refusal_of("wrong").code == "NOT_FOUND"
    assert Workspace.objects.count() == 0


@pytest.mark.django_db
def test_a_poor_password_is_named_beside_its_field() -> None:
    refused = refusal_of(password="short")

    fields = refused.details["fields"]
    assert isinstance(fields, dict)
    assert (refused.code, list(fields)) == ("INVALID_INPUT", ["password"])
    assert User.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_makes_the_owner() -> None:
    answers = at_once(lambda: make(email="a@example.com"), lambda: make(email="b@example.com"))

    assert codes(answers) == ["NOT_FOUND", "done"]
    assert (User.objects.count(), Workspace.objects.count()) == (1, 1)


def test_another_key_has_another_code() -> None:
    first, second = setup_code("first key"), setup_code("second key")

    assert first != second
    assert (len(first), first) == (26, setup_code("first key"))
    assert setup_path("first key") == f"/setup/{first}/"


@pytest.mark.django_db
def test_the_command_prints_the_link_until_there_is_an_account() -> None:
    out = io.StringIO()

    call_command("setup_link", stdout=out)

    assert out.getvalue() == f"Make the first account: {settings.APP_URL}{setup_path(settings.SECRET_KEY)}\n"
    make_user()
    with pytest.raises(CommandError):
        call_command("setup_link")
