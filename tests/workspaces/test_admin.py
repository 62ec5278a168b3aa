"""The admin: changes go through services, machine rows are read, and nothing secret is on any page."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from bakedbrie.lib.toolkit.tool import Effect
from tests.factories.workspaces import PASSWORD, make_member, make_user, token_caller
from tests.support.cast import browser, token_of
from workspaces.access import token_digest
from workspaces.caller import Caller
from workspaces.models import (
    Actor,
    AuditEntry,
    Invite,
    Member,
    RequestRecord,
    SealedSecret,
    SecretDrop,
    SignInLink,
    Token,
    User,
    Workspace,
)
from workspaces.roles import Role
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.services.invites import invite_member
from workspaces.services.replay import replay
from workspaces.services.sign_in_links import make_link
from workspaces.states import SecretPurpose

CANARY = "sk-canary-4f1e"
MODELS = [
    Workspace,
    Member,
    Invite,
    User,
    Token,
    Actor,
    AuditEntry,
    SealedSecret,
    SecretDrop,
    RequestRecord,
    SignInLink,
]


@pytest.fixture
def operator(db: None) -> Client:
    """Runs the server and belongs to no workspace."""
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", PASSWORD, name="Root"))
    return client


@pytest.fixture
def owner(alice: Caller) -> Client:
    """Alice, who owns the workspace and is no operator."""
    return browser(alice)


def address(model: type, page: str, *args: object) -> str:
    return reverse(f"admin:workspaces_{model.__name__.lower()}_{page}", args=args)


def plant(caller: Caller) -> tuple[str, ...]:
    """Leave one row of each kind behind and return everything that no page may show."""
    raw = token_of(caller)
    drop = prepare_drop(token_caller(raw), kind="openai", purpose=SecretPurpose.AI_ACCOUNT, env_var="KEY")
    fill_drop(token_caller(raw), drop_id=drop.pk, value=CANARY)
    link = make_link(caller.member.user)
    raw_link = link.split("/")[-2]
    raw_invite = invite_member(caller, email="nora@example.com", role=Role.MEMBER)[1].split("/")[-2]
    replay(caller, request_id="r-1", call={"tool": "x"}, effect=Effect.WRITE, run=lambda: {"text": CANARY})
    kept = SealedSecret.objects.get(workspace=caller.workspace).sealed
    assert kept is not None
    record = RequestRecord.objects.get(workspace=caller.workspace)
    password: str = User.objects.get(pk=caller.member.user_id).password
    secrets = (CANARY, raw, token_digest(raw), raw_link, token_digest(raw_link), bytes(kept).hex(), repr(bytes(kept)))
    return (*secrets, raw_invite, token_digest(raw_invite), record.call_hash, password, password.split("$")[-1])


def texts(response: HttpResponseBase) -> str:
    """Return what the admin told the person; the messages hang on the request."""
    return " ".join(str(message) for message in get_messages(response.wsgi_request))  # type: ignore[attr-defined]


def act(client: Client, model: type, action: str, pk: object, **more: str) -> str:
    """Use an action of a list and return what the next page says."""
    answer = client.post(address(model, "changelist"), {"action": action, "_selected_action": [str(pk)], **more})
    return texts(answer)


def errors(page: HttpResponseBase, field: str) -> list[str]:
    """Return what stands at a field of the form that is shown again."""
    return list(page.context["adminform"].form.errors.get(field, []))  # type: ignore[attr-defined]


def refusal(page: HttpResponseBase) -> str:
    """Return what the form that is shown again says above its fields."""
    return " ".join(errors(page, "__all__"))


@pytest.mark.requirement("W025", "W069")
@pytest.mark.parametrize("who", ["operator", "owner"])
def test_no_page_shows_anything_secret(who: str, alice: Caller, request: pytest.FixtureRequest) -> None:
    client: Client = request.getfixturevalue(who)
    secrets = plant(alice)

    for model in MODELS:
        row = model._default_manager.order_by("pk").first()
        assert row is not None
        for page in (address(model, "changelist"), address(model, "change", row.pk)):
            response = client.get(page)
            assert response.status_code == 200, page
            shown = response.content.decode()
            assert [secret for secret in secrets if secret in shown] == [], page


@pytest.mark.requirement("W002")
def test_an_owner_sees_nothing_of_another_workspace(owner: Client, alice: Caller, charlie: Caller) -> None:
    plant(charlie)

    for model in MODELS:
        rows = model._default_manager.order_by("-pk")
        row = rows.filter(pk=charlie.workspace.pk).first() if model is Workspace else rows.first()
        if model is User:
            row = charlie.member.user
        assert row is not None
        listed = owner.get(address(model, "changelist"))
        opened = owner.get(address(model, "change", row.pk))
        assert listed.status_code == 200
        assert "Charlie" not in listed.content.decode()
        assert (opened.status_code, opened["Location"]) == (302, reverse("admin:index"))


@pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
def test_staff_who_own_nothing_see_nothing(alice: Caller, role: Role) -> None:
    caller = make_member(alice, role=role)
    User.objects.filter(pk=caller.member.user_id).update(is_staff=True)
    client = browser(caller)

    for model in MODELS:
        assert client.get(address(model, "changelist")).status_code == 403


@pytest.mark.parametrize("model", [Token, Actor, AuditEntry, SealedSecret, SecretDrop, RequestRecord, SignInLink])
def test_machine_rows_are_neither_added_changed_nor_deleted(operator: Client, alice: Caller, model: type) -> None:
    plant(alice)
    row = model.objects.first()  # type: ignore[attr-defined]

    answers = [
        operator.get(address(model, "add")).status_code,
        operator.post(address(model, "change", row.pk), {"label": "x"}).status_code,
        operator.post(address(model, "delete", row.pk), {"post": "yes"}).status_code,
    ]

    assert answers == [403, 403, 403]


def workspace_form(**changed: object) -> dict[str, object]:
    named = {"name": "Alice's Bakery", "time_zone": "UTC"}
    return {**named, "capabilities": ["control", "dispatch"], "dispatch_reason": "", **changed}


@pytest.mark.requirement("W026")
def test_an_owner_changes_the_workspace_through_the_services(owner: Client, alice: Caller) -> None:
    page = address(Workspace, "change", alice.workspace.pk)

    owner.post(page, workspace_form(name="Alice & Co", dispatch_paused="on", dispatch_reason="Fire"))

    workspace = Workspace.objects.get(pk=alice.workspace.pk)
    verbs = list(AuditEntry.objects.filter(actor=alice.actor).order_by("pk").values_list("verb", flat=True))
    assert (workspace.name, workspace.capabilities) == ("Alice & Co", ["control", "dispatch"])
    assert (workspace.dispatch_paused, workspace.dispatch_reason) == (True, "Fire")
    assert verbs == ["workspace.created", "workspace.renamed", *["capability.switched"] * 7, "dispatch.paused"]


def test_an_operator_may_stop_work_and_change_nothing_else(operator: Client, alice: Caller, mia: Caller) -> None:
    workspace = Workspace.objects.get(pk=alice.workspace.pk)
    same = workspace_form(capabilities=workspace.capabilities)
    token_of(mia)
    token = Token.objects.get(member=mia.member)

    paused = act(operator, Workspace, "pause", workspace.pk)
    renamed = operator.post(address(Workspace, "change", workspace.pk), {**same, "name": "Mine"})
    promoted = operator.post(address(Member, "change", mia.member.pk), {"role": "owner"})
    revoked = act(operator, Token, "revoke", token.pk, confirmed="yes")
    removed = act(operator, Member, "remove", mia.member.pk, confirmed="yes")

    workspace.refresh_from_db()
    token.refresh_from_db()
    assert (workspace.dispatch_paused, workspace.name, token.revoked_at is not None) == (True, "Alice's Bakery", True)
    assert (renamed.status_code, promoted.status_code) == (403, 403)
    assert Member.objects.filter(pk=mia.member.pk, role="member", removed_at=None).exists()
    by_operator = AuditEntry.objects.filter(actor__name="Operator root@example.com").order_by("pk")
    assert list(by_operator.values_list("verb", flat=True)) == ["dispatch.paused", "token.revoked"]
    assert ("Paused: 1" in paused, "Revoked: 1" in revoked, "looks and stops" in removed) == (True, True, True)


def test_an_operator_reads_the_form_of_a_foreign_workspace(operator: Client, alice: Caller) -> None:
    page = operator.get(address(Workspace, "change", alice.workspace.pk)).content.decode()

    assert "Alice&#x27;s Bakery" in page
    assert 'name="_save"' not in page


def test_what_cannot_be_taken_back_is_asked_first(owner: Client, mia: Caller) -> None:
    asked = owner.post(address(Member, "changelist"), {"action": "remove", "_selected_action": [str(mia.member.pk)]})

    assert asked.status_code == 200
    assert "their tokens stop working" in asked.content.decode()
    assert Member.objects.get(pk=mia.member.pk).removed_at is None


@pytest.mark.requirement("C088")
def test_a_name_is_refused_as_the_tools_refuse_it(owner: Client, operator: Client, alice: Caller) -> None:
    turned = "Bakery\u202eyrekaB"

    workspace = owner.post(address(Workspace, "change", alice.workspace.pk), workspace_form(name=turned))
    person = operator.post(address(User, "change", alice.member.user_id), {"name": turned, "is_active": "on"})
    added = operator.post(
        address(User, "add"),
        {"email": "x@example.com", "name": turned, "usable_password": "false"},
    )

    said = "may not contain characters that turn the direction of the text"
    assert [errors(page, "name") for page in (workspace, person, added)] == [[said], [said], [said]]
    assert User.objects.get(pk=alice.member.user_id).name == "Alice Archer"
    assert not User.objects.filter(email="x@example.com").exists()


@pytest.mark.requirement("C094")
def test_the_last_owner_stays_in_the_admin_too(owner: Client, operator: Client, alice: Caller) -> None:
    demoted = owner.post(address(Member, "change", alice.member.pk), {"role": "viewer"})
    switched_off = operator.post(address(User, "change", alice.member.user_id), {"name": "Alice Archer"})
    removed = act(owner, Member, "remove", alice.member.pk, confirmed="yes")

    assert "at least one owner" in refusal(demoted)
    assert "at least one owner" in refusal(switched_off)
    assert "at least one owner" in removed
    assert Member.objects.filter(pk=alice.member.pk, role="owner", removed_at=None, user__is_active=True).exists()


def test_an_operator_makes_accounts_and_sign_in_links(operator: Client) -> None:
    added = operator.post(
        address(User, "add"),
        {
            "email": "New@Example.com",
            "name": "New",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    )
    user = User.objects.get(email="new@example.com")
    linked = operator.post(
        address(User, "changelist"), {"action": "show_sign_in_link", "_selected_action": [str(user.pk)]}
    )

    assert added.status_code == 302
    assert user.check_password(PASSWORD)
    assert "/sign-in/link/" in texts(linked)
    assert SignInLink.objects.get().user == user
    assert LogEntry.objects.latest("pk").get_change_message() == "Made a one-time sign-in link."


def test_an_owner_adds_no_accounts_and_makes_no_links(owner: Client, alice: Caller) -> None:
    answers = [
        owner.get(address(User, "add")).status_code,
        owner.post(address(User, "change", alice.member.user_id), {"is_superuser": "on"}).status_code,
    ]
    owner.post(
        address(User, "changelist"),
        {"action": "show_sign_in_link", "_selected_action": [str(alice.member.user_id)]},
    )

    assert answers == [403, 403]
    assert SignInLink.objects.count() == 0
    assert not User.objects.filter(is_superuser=True).exists()


def test_roles_tokens_and_names_change_through_the_services(
    owner: Client, operator: Client, alice: Caller, mia: Caller
) -> None:
    raw_token = token_caller(token_of(mia)).token
    assert raw_token is not None

    owner.post(address(Member, "change", mia.member.pk), {"role": "admin"})
    act(operator, Token, "revoke", raw_token.pk, confirmed="yes")
    operator.post(address(User, "change", mia.member.user_id), {"name": "Mia M.", "is_active": "on"})

    assert Member.objects.get(pk=mia.member.pk).role == "admin"
    assert Token.objects.get(pk=raw_token.pk).revoked_at is not None
    assert Actor.objects.get(pk=mia.actor.pk).name == "Mia M."
    verbs = set(AuditEntry.objects.values_list("verb", flat=True))
    assert {"member.role_changed", "token.revoked"} <= verbs


def test_an_operator_who_is_a_member_adds_people(operator: Client, alice: Caller) -> None:
    alice_as_operator = alice.member.user
    User.objects.filter(pk=alice_as_operator.pk).update(is_staff=True, is_superuser=True)
    person = make_user("Pat Person")

    form = {"workspace": str(alice.workspace.pk), "user": str(person.pk), "role": "viewer"}
    refused = operator.post(address(Member, "add"), form)
    added = browser(alice).post(address(Member, "add"), form)

    assert refused.status_code == 403
    assert added.status_code == 302
    assert Member.objects.get(user=person).actor.name == "Pat Person"


def test_an_owner_invites_and_sees_the_link_once(owner: Client, alice: Caller, charlie: Caller) -> None:
    given = {"workspace": str(alice.workspace.pk), "email": "Nora@example.com", "role": "admin"}

    form = owner.get(address(Invite, "add")).content.decode()
    made = owner.post(address(Invite, "add"), given)
    foreign = owner.post(address(Invite, "add"), {**given, "workspace": str(charlie.workspace.pk)})
    member = owner.post(address(Invite, "add"), {**given, "email": alice.member.user.email})

    invite = Invite.objects.get()
    assert "Charlie" not in form
    assert (made.status_code, invite.email, invite.role) == (302, "nora@example.com", "admin")
    assert token_digest(texts(made).split("/invites/")[1].split("/")[0]) == invite.digest
    assert foreign.status_code == 200
    assert "member already" in refusal(member)


def test_an_owner_takes_invites_back(owner: Client, alice: Caller) -> None:
    made, _ = invite_member(alice, email="nora@example.com", role=Role.MEMBER)

    act(owner, Invite, "revoke", made.pk)
    changed = owner.post(address(Invite, "change", made.pk), {"role": "owner"}).status_code

    made.refresh_from_db()
    assert (made.revoked_at is not None, made.role, changed) == (True, "member", 403)


def test_an_operator_of_no_workspace_invites_nobody(operator: Client, alice: Caller) -> None:
    given = {"workspace": str(alice.workspace.pk), "email": "nora@example.com", "role": "owner"}

    assert operator.post(address(Invite, "add"), given).status_code == 403
    assert not Invite.objects.exists()


@pytest.mark.parametrize("query", ["password__startswith=a", "email__startswith=a", "is_active__exact=%00"])
def test_a_page_takes_no_filter_that_it_does_not_offer(alice: Caller, query: str) -> None:
    User.objects.filter(pk=alice.member.user.pk).update(is_staff=True)

    answer = browser(alice).get(f"/admin/workspaces/user/?{query}")

    assert answer.status_code == 400
    assert browser(alice).get("/admin/workspaces/user/").status_code == 200


def test_an_operator_makes_and_unmakes_operators(operator: Client, owner: Client, mia: Caller) -> None:
    page = address(User, "change", mia.member.user_id)
    form = {"name": "Mia Moreau", "is_active": "on"}
    seen = []

    for given in ({**form, "is_operator": "on"}, form):
        assert operator.post(page, given).status_code == 302
        seen.append(User.objects.values_list("is_staff", "is_superuser").get(pk=mia.member.user_id))

    assert seen == [(True, True), (False, False)]
    assert owner.post(page, {**form, "is_operator": "on"}).status_code == 403
