"""The world that the matrix is tried in, and one row for each thing a tool does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rest_framework.test import APIClient

from boards.services.members import add_board_member
from tests.factories.boards import make_card, make_file
from tests.factories.workflows import make_line
from tests.factories.workspaces import make_member, token_caller
from tests.support.cast import api, token_of
from tests.support.fake_provider import FakeProvider
from workspaces import capabilities
from workspaces.caller import Caller
from workspaces.models import Token, Workspace
from workspaces.roles import Role
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.services.members import remove_member
from workspaces.services.tokens import revoke_token
from workspaces.states import Preset, SecretPurpose

ABSENT = "0195f3a0-0000-7000-8000-000000000000"


@dataclass(frozen=True, kw_only=True)
class Row:
    """``arguments`` name ids of the world with a $. ``code`` is what the owner gets: empty for success."""

    arguments: dict[str, Any]
    code: str = ""

    @property
    def id_names(self) -> set[str]:
        return {name for value in self.arguments.values() for name in _names_in(value)}

    def filled(self, ids: dict[str, str]) -> dict[str, Any]:
        return {key: _filled(value, ids) for key, value in self.arguments.items()}

    def filled_with(self, one: str) -> dict[str, Any]:
        return self.filled(dict.fromkeys(self.id_names, one))


def row(code: str = "", /, **arguments: Any) -> Row:
    return Row(arguments=arguments, code=code)


ACCOUNT = {"kind": "api_key", "provider": "openai", "label": "Another", "credential": {"drop_id": "$drop"}}
RULE = {"board_id": "$board", "from_stage_id": "$extra_stage", "agent_id": "$agent", "to_stage_id": "$done"}

ROWS: dict[str, tuple[Row, ...]] = {
    "add_comment": (row(card_id="$card", text="Hello"),),
    "author_workflow_draft": (row(**RULE), row(**{**RULE, "from_stage_id": "$doing"}, rule_id="$rule")),
    "bind_ai_account": (
        row(account_id="$account", scope="workspace"),
        row(account_id="$account", scope="board", scope_id="$board"),
        row(account_id="$account", scope="agent", scope_id="$agent"),
    ),
    "check_ai_account": (row(account_id="$account"),),
    "connect_ai_account": (row("AI_PROVIDER_UNREACHABLE", **ACCOUNT, base_url="https://absent.invalid/v1"),),
    "create_agent_draft": (
        row(board_id="$board", name="New", instructions="Do it."),
        row(board_id="$board", agent_id="$agent", instructions="Do it twice."),
    ),
    "create_board": (row(name="Another board"),),
    "create_card": (row(board_id="$board", title="New"), row(board_id="$board", stage_id="$todo", title="New")),
    "list_ai_accounts": (row(),),
    "list_boards": (row(),),
    "list_card_files": (row(card_id="$card"),),
    "list_cards": (row(board_id="$board"), row(stage_id="$todo"), row()),
    "list_triggers": (row(board_id="$board"), row()),
    "manage_agent": (
        row(action="list", board_id="$board"),
        row(action="read", agent_id="$agent"),
        row(action="versions", agent_id="$agent"),
        row(action="pause", agent_id="$agent"),
        row("AGENT_STATE", action="resume", agent_id="$agent"),
        row("AGENT_IN_USE", action="retire", agent_id="$agent"),
    ),
    "manage_board_guidelines": (
        row(action="read", board_id="$board"),
        row(action="set", board_id="$board", text="Be brief."),
        row(action="clear", board_id="$board"),
    ),
    "manage_stages": (
        row(action="list", board_id="$board"),
        row(action="add", board_id="$board", name="New"),
        row(action="rename", stage_id="$todo", name="New"),
        row(action="reorder", board_id="$board", stage_ids=["$todo", "$extra_stage", "$doing", "$done"]),
        row(action="delete", stage_id="$extra_stage"),
    ),
    "manage_turn": (
        row(action="read", turn_id="$turn"),
        row(action="stop", turn_id="$turn"),
        row("TURN_NOT_ENDED", action="run_again", turn_id="$turn"),
    ),
    "move_card": (
        row("PREVIEW_REQUIRED", card_id="$card", stage_id="$extra_stage"),
        row("PREVIEW_CHANGED", card_id="$card", stage_id="$extra_stage", preview_hash="0" * 64),
    ),
    "pause_workspace_dispatch": (row(),),
    "prepare_secret": (row(kind="openai", purpose="ai_account", env_var="OPENAI_API_KEY"),),
    "preview_move": (row(card_id="$card", stage_id="$extra_stage"),),
    "publish_agent": (row("NO_DRAFT", agent_id="$agent"),),
    "publish_workflow": (
        row("RULE_STATE", action="publish", rule_id="$rule"),
        row(action="pause", rule_id="$rule"),
    ),
    "read_board": (row(board_id="$board"),),
    "read_card": (row(card_id="$card"), row(card_id="$trashed_card")),
    "read_docs": (row(),),
    "reorder_card": (
        row(card_id="$card", before_card_id="$second_card"),
        row(card_id="$card", after_card_id="$second_card"),
    ),
    "resume_workspace_dispatch": for_admins(row()),
    "whoami": (row(),),
}


@dataclass(kw_only=True)
class World:
    """Alice's workspace with one of everything, those who belong to it, and those who do not or no longer do."""

    ids: dict[str, str]
    inside: dict[str, APIClient]
    """owner, admin, member and viewer open the board; outsider is a member who does not."""
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
    alice.workspace.refresh_from_db()
    alice.__dict__.pop("capabilities", None)
    people = {
        "admin": make_member(alice, "Amir Aziz", Role.ADMIN),
        "member": make_member(alice, "Mia Moreau", Role.MEMBER),
        "viewer": make_member(alice, "Vic Varga", Role.VIEWER),
        "outsider": make_member(alice, "Nia Novak", Role.MEMBER),
    }
    removed = make_member(alice, "Rex Romero", Role.MEMBER)
    gone = {"removed": api(removed), "revoked": api(people["admin"])}
    remove_member(alice, member=removed.member)
    revoke_token(people["admin"], token=Token.objects.get(member=people["admin"].member))
    raw = token_of(alice)
    owner = APIClient()
    owner.credentials(HTTP_AUTHORIZATION=f"Bearer {raw}")
    return World(
        ids=_make_ids(alice, token_caller(raw), provider, people),
        inside={"owner": owner, **{name: api(person) for name, person in people.items()}},
        read_only=api(alice, Preset.READ_ONLY),
        runner=api(alice, Preset.RUNNER),
        gone=gone,
        stranger=api(charlie),
    )


def _make_ids(alice: Caller, by_token: Caller, provider: FakeProvider, people: dict[str, Caller]) -> dict[str, str]:
    line = make_line(alice, provider)
    for name in ("member", "viewer"):
        add_board_member(alice, board=line.board, member=people[name].member)
    turn = line.start()
    card, second = make_card(alice, line.board, title="Canary card"), make_card(alice, line.board)
    drop = prepare_drop(by_token, kind="openai", purpose=SecretPurpose.AI_ACCOUNT, env_var="OPENAI_API_KEY")
    fill_drop(by_token, drop_id=drop.pk, value="sk-canary")
    assert line.account is not None
    rows = {
        "board": line.board,
        "todo": line.todo,
        "doing": line.doing,
        "done": line.done,
        "extra_stage": line.add_stage("Extra"),
        "card": card,
        "second_card": second,
        "busy_card": line.card,
        "file": make_file(alice, card),
        "agent": line.agent,
        "rule": line.rule,
        "turn": turn,
        "account": line.account,
        "drop": drop,
        "member": people["member"].member,
        "token": Token.objects.filter(member=people["admin"].member).get(),
    }
    return {name: str(row.pk) for name, row in rows.items()}


def _names_in(value: object) -> set[str]:
    if isinstance(value, dict):
        return _names_in(list(value.values()))
    if isinstance(value, list):
        return {name for item in value for name in _names_in(item)}
    return {value[1:]} if isinstance(value, str) and value.startswith("$") else set()


def _filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_filled(item, ids) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, ids) for key, item in value.items()}
    return ids[value[1:]] if isinstance(value, str) and value.startswith("$") else value
