"""The world that the matrices are tried in: one of everything of Alice's, and people of every kind around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, reset_queries, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from agents.models import Approval, Permit, Turn
from agents.services.approvals import open_approval, question_about_files
from bakedbrie.lib import clock, ids
from boards.access import get_card
from boards.models import Card, Result
from boards.services.members import add_board_member
from destinations.models import Delivery, Destination
from reviews.calls.folder_steps import run_step
from reviews.models import FolderFile, Review
from reviews.services.folders import FolderPlan, set_work_folder
from reviews.states import FolderStorage
from tests.factories.boards import make_card, make_file
from tests.factories.destinations import bare_destination, queued_delivery
from tests.factories.reviews import put_result
from tests.factories.workflows import Line, make_line
from tests.factories.workspaces import caller_of, make_member, token_caller
from tests.support.cast import api, token_of
from tests.support.fake_provider import FakeProvider
from workflows.models import BoardSetup
from workflows.services.cards import trash_card
from workspaces import capabilities
from workspaces.caller import Caller
from workspaces.models import Token, Workspace
from workspaces.roles import Role
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.services.invites import invite_member
from workspaces.services.members import change_role, remove_member
from workspaces.services.tokens import revoke_token
from workspaces.services.users import set_active
from workspaces.states import Preset, SecretPurpose

ABSENT = "0195f3a0-0000-7000-8000-000000000000"

# Who may do more than whom on the board of the world. Somebody lowered was an admin until a moment ago.
RANK = {"viewer": 0, "lowered": 0, "member": 1, "manager": 2, "admin": 3, "owner": 4}
# What is the workspace's: whoever opens no board of it may know of it all the same.
OF_THE_WORKSPACE = frozenset({"account", "destination", "drop", "empty_drop", "invite", "member", "newcomer", "token"})


@dataclass(kw_only=True)
class World:
    """Alice's workspace with one of everything, those who belong to it, and those who do not or no longer do."""

    ids: dict[str, str]
    closed: dict[str, str]
    """One of everything on another board of Alice's, which only owners and admins open."""
    foreign: dict[str, str]
    """One of everything in Charlie's workspace."""
    people: dict[str, Caller]
    """Everybody in RANK opens the board; outsider is a member who does not."""
    inside: dict[str, APIClient]
    read_only: APIClient
    runner: APIClient
    gone: dict[str, APIClient]
    stranger: APIClient

    def everybody(self) -> dict[str, APIClient]:
        return {
            **self.inside,
            **self.gone,
            "read_only": self.read_only,
            "runner": self.runner,
            "stranger": self.stranger,
        }


def make_world(alice: Caller, charlie: Caller, provider: FakeProvider) -> World:
    Workspace.objects.update(capabilities=list(capabilities.TEXTS))
    for head in (alice, charlie):
        head.workspace.refresh_from_db()
        head.__dict__.pop("capabilities", None)
    people = _make_people(alice)
    lines = {"ids": make_line(alice, provider), "closed": make_line(alice, provider)}
    for name in ("lowered", "member", "viewer", "manager"):
        member, is_manager = people[name].member, name == "manager"
        add_board_member(alice, board=lines["ids"].board, member=member, is_manager=is_manager)
    owner, raw = APIClient(), token_of(alice)
    owner.credentials(HTTP_AUTHORIZATION=f"Bearer {raw}")
    inside = {"owner": owner, **{name: api(person) for name, person in people.items()}}
    gone = _take_rights_away(alice, people)
    newcomer = make_member(alice, "Nell Newman", Role.MEMBER)
    hers = {"newcomer": newcomer, "member": people["member"], "token": people["admin"]}
    his = {name: make_member(charlie, f"{name} of Charlie") for name in ("newcomer", "member", "token")}
    token_of(his["token"])
    by_token = token_caller(raw)
    return World(
        ids=_ids_of(lines["ids"], by_token, hers, "Canary card"),
        closed=_ids_of(lines["closed"], by_token, hers),
        foreign=_ids_of(make_line(charlie, provider), charlie, his),
        people={"owner": alice, **people},
        inside=inside,
        read_only=api(alice, Preset.READ_ONLY),
        runner=api(alice, Preset.RUNNER),
        gone=gone,
        stranger=api(charlie),
    )


def _make_people(alice: Caller) -> dict[str, Caller]:
    roles = {
        "admin": ("Amir Aziz", Role.ADMIN),
        "manager": ("Maya Mason", Role.MEMBER),
        "member": ("Mia Moreau", Role.MEMBER),
        "viewer": ("Vic Varga", Role.VIEWER),
        "outsider": ("Nia Novak", Role.MEMBER),
        "lowered": ("Lou Lowe", Role.ADMIN),
    }
    return {name: make_member(alice, person, role) for name, (person, role) in roles.items()}


def _take_rights_away(alice: Caller, people: dict[str, Caller]) -> dict[str, APIClient]:
    """Return those whose tokens worked until a moment ago; who was lowered stays, with less."""
    removed, off = make_member(alice, "Rex Romero"), make_member(alice, "Otto Off")
    gone = {
        "removed": api(removed),
        "off": api(off),
        "revoked": api(people["member"]),
        "expired": api(people["viewer"]),
    }
    remove_member(alice, member=removed.member)
    set_active(off.member.user, is_active=False)
    revoke_token(people["member"], token=_newest_token(people["member"]))
    expired = _newest_token(people["viewer"])
    Token.objects.filter(pk=expired.pk).update(expires_at=clock.now() - timedelta(seconds=1))
    change_role(alice, member=people["lowered"].member, role=Role.VIEWER)
    people["lowered"] = caller_of(people["lowered"].member)
    return gone


def _hosted_file(line: Line, card: Card) -> FolderFile:
    """A file that lies in the board's work folder, in our own storage."""
    plan = FolderPlan(storage=FolderStorage.HOSTED)
    folder = set_work_folder(line.caller, board=line.board, plan=plan, confirm=True)
    file = put_result(line.caller, folder, card)
    run_step(file.steps.get().pk)
    return file


def _ids_of(line: Line, by_token: Caller, people: dict[str, Caller], title: str = "Card") -> dict[str, str]:
    """Return the ids of one of everything; the drops work with the token of ``by_token`` alone."""
    extra, other = line.add_stage("Extra"), line.add_stage("Other")
    turn = line.start()
    card, second, trashed = (make_card(line.caller, line.board, title=title) for _ in range(3))
    trash_card(line.caller, card=trashed)
    drop, empty = (
        prepare_drop(by_token, kind="openai", purpose=SecretPurpose.AI_ACCOUNT, env_var="OPENAI_API_KEY")
        for _ in range(2)
    )
    fill_drop(by_token, drop_id=drop.pk, value="sk-canary")
    assert line.account is not None
    rows = {
        **_of_line(line),
        "extra_stage": extra,
        "other_stage": other,
        "card": card,
        "second_card": second,
        "trashed_card": trashed,
        "busy_card": line.card,
        "file": make_file(line.caller, card),
        "setup": BoardSetup.objects.create(board=line.board, made_by=line.caller.actor),
        "turn": turn,
        **_asked(line, turn),
        "review": _reviewed(line, turn),
        "account": line.account,
        "binding": line.account.bindings.get(),
        "drop": drop,
        "empty_drop": empty,
        **{name: people[name].member for name in ("member", "newcomer")},
        "token": _newest_token(people["token"]),
        "invite": invite_member(line.caller, email=f"{ids.new_id()}@example.com", role=Role.VIEWER)[0],
        "folder_file": _hosted_file(line, card),
        **_sent(line, get_card(line.caller, second.pk)),
    }
    return {name: str(row.pk) for name, row in rows.items()}


def _reviewed(line: Line, turn: Turn) -> Review:
    """Something that waits for a person."""
    return Review.objects.create(
        board=line.board,
        card=line.card,
        iteration=turn.iteration,
        turn=turn,
        maker=line.caller.actor,
        n=1,
        intent_hash="1" * 64,
    )


def _of_line(line: Line) -> dict[str, Model]:
    return {
        "board": line.board,
        "todo": line.todo,
        "doing": line.doing,
        "done": line.done,
        "agent": line.agent,
        "agent_owner": line.agent.actor,
        "rule": line.rule,
    }


def _asked(line: Line, turn: Turn) -> dict[str, Approval | Permit]:
    """Return a question of the agent, and an answer that stands."""
    assert line.account is not None
    by, payer = line.caller.actor, line.account.pk
    permit = Permit.objects.create(agent=line.agent, area="read_files", target=payer, given_by=by)
    return {"approval": open_approval(turn, question_about_files(turn)), "permit": permit}


def _sent(line: Line, card: Card) -> dict[str, Destination | Delivery | Result]:
    destination = bare_destination(line.caller, line.board)
    delivery = queued_delivery(line.caller, card, destination)
    return {"destination": destination, "delivery": delivery, "result": delivery.iteration.results.get()}


def _newest_token(caller: Caller) -> Token:
    return Token.objects.filter(member=caller.member).latest("pk")


def names_in(value: object) -> set[str]:
    """Return the ids that a row names with a $, wherever they stand in it."""
    if isinstance(value, dict):
        return names_in(list(value.values()))
    if isinstance(value, list):
        return {name for item in value for name in names_in(item)}
    if not isinstance(value, str):
        return set()
    return {part[1:] for part in value.split("/") if part.startswith("$")}


def filled(value: Any, ids: dict[str, str]) -> Any:
    """Return the value with its names replaced: a whole text, or parts of a path."""
    if isinstance(value, list):
        return [filled(item, ids) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, ids) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    return "/".join(ids[part[1:]] if part.startswith("$") else part for part in value.split("/"))


def one_replaced(ids: dict[str, str], name: str, by: str) -> dict[str, str]:
    return {**ids, name: by}


@contextmanager
def taken_back(is_taken_back: bool = True) -> Iterator[None]:
    """Undo what the block wrote. A call that sends must not find a transaction open."""
    if not is_taken_back:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collect the statements of the block that write, but for the note of a token's last use."""
    written: list[str] = []
    reset_queries()  # the log of a connection has an end, which the matrices of one test reach
    with CaptureQueriesContext(connection) as seen:
        yield written
    written += writes_in(query["sql"] for query in seen.captured_queries)


def writes_in(statements: Iterable[str]) -> list[str]:
    writing = ("INSERT", "UPDATE", "DELETE")
    noted = 'UPDATE "workspaces_token" SET "last_used_at"'
    return [sql for sql in statements if sql.lstrip().startswith(writing) and not sql.startswith(noted)]
