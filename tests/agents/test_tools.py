"""The tools of agents and AI accounts, through the tool door."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Agent, AiAccount
from agents.rules import AREAS, USED
from agents.services.bindings import bind_account
from agents.services.turns import wake_turns
from agents.states import BindingScope
from agents.tools import TOOLS
from agents.tools.agents import CREATE_AGENT_DRAFT, PUBLISH_AGENT
from bakedbrie.lib.toolkit.schema import input_schema
from tests.agents.conftest import Desk
from tests.factories.agents import make_account
from tests.support.canary import KEY
from tests.support.cast import api
from tests.support.fake_provider import FakeProvider, fails
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


class Door:
    """One token's way to the tools."""

    def __init__(self, caller: Caller, preset: Preset = Preset.FULL_CONTROL) -> None:
        self._client = api(caller, preset)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self._client.post(f"/api/v1/tools/{tool}", arguments, format="json").json()
        assert KEY not in str(answer)
        content: dict[str, Any] = answer.get("untrusted_data") or answer["error"]
        return content


@pytest.fixture
def door(alice: Caller) -> Door:
    return Door(alice)


def dropped(caller: Caller, door: Door) -> str:
    """Prepare a drop through the door and fill it as its command would, with the same token."""
    prepared = door("prepare_secret", kind="api_key", purpose="ai_account", env_var="AI_KEY")
    drop_id: str = prepared["drop_id"]
    answer = door._client.post(f"/api/v1/drops/{drop_id}", KEY.encode().hex(), content_type="text/plain")
    assert answer.status_code in (200, 201, 204), answer.content
    return drop_id


@pytest.mark.requirement("A002", "A003", "A015", "A022")
def test_an_agent_is_drafted_and_published(desk: Desk, door: Door) -> None:
    drafted = door(
        "create_agent_draft",
        board_id=str(desk.board.pk),
        name="Writer",
        instructions="Write it.",
        permissions={"deliver": "allowed", "web": "ask"},
    )
    agent_id = drafted["agent"]["id"]

    refused = door("publish_agent", agent_id=agent_id)
    published = door("publish_agent", agent_id=agent_id, confirm_outward=True)

    assert drafted["confirm"] == ["deliver"]
    assert drafted["agent"]["draft"]["counts_as_off"] == ["web"]
    assert (refused["code"], refused["confirm"]) == ("CONFIRMATION_NEEDED", ["deliver"])
    assert (published["agent"]["state"], published["agent"]["draft"]) == ("published", None)
    assert published["agent"]["published"]["instructions"] == "Write it."
    assert published["agent"]["published"]["permissions"]["email"] == "off"


IDLE = [area for area in AREAS if area not in USED]


@pytest.mark.requirement("A003")
@pytest.mark.parametrize(("verdict", "idle"), [("off", []), ("ask", IDLE), ("allowed", IDLE)])
def test_the_answer_names_every_permission_that_has_no_effect_yet(
    desk: Desk, door: Door, verdict: str, idle: list[str]
) -> None:
    answer = door(
        "create_agent_draft",
        board_id=str(desk.board.pk),
        name="Writer",
        instructions="Write it.",
        permissions=dict.fromkeys(AREAS, verdict),
    )

    assert answer["agent"]["draft"]["permissions"] == dict.fromkeys(AREAS, verdict)
    assert answer["agent"]["draft"]["counts_as_off"] == idle
    assert answer["confirm"] == ([] if verdict == "off" else ["email", "other_apps", "deliver"])


@pytest.mark.requirement("A022")
def test_the_tools_say_what_is_to_be_confirmed_with_the_user() -> None:
    schema = input_schema(CREATE_AGENT_DRAFT.input)["properties"]["permissions"]["properties"]

    warned = {area for area in AREAS if "confirm with the user first" in schema[area]["description"]}

    assert warned == {"email", "other_apps", "deliver"}
    for area in warned:
        assert area in CREATE_AGENT_DRAFT.description
    assert "confirm_outward: true" in PUBLISH_AGENT.description


@pytest.mark.requirement("A014")
def test_a_draft_of_an_agent_that_is_there(desk: Desk, door: Door) -> None:
    answer = door(
        "create_agent_draft",
        board_id=str(desk.board.pk),
        agent_id=str(desk.agent.pk),
        instructions="Shorter.",
        expected_revision=desk.agent.revision,
    )

    assert answer["agent"]["published"]["n"] == 1
    assert answer["agent"]["draft"]["max_turns"] == 50
    assert (answer["agent"]["draft"]["n"], answer["agent"]["draft"]["instructions"]) == (2, "Shorter.")


@pytest.mark.requirement("A021")
@pytest.mark.parametrize(("given", "shown"), [(1, 1), (50, 50), (0, None), (51, None), ("3", None), (1.5, None)])
def test_a_draft_says_how_often_the_agent_may_work(desk: Desk, door: Door, given: object, shown: int | None) -> None:
    answer = door("create_agent_draft", board_id=str(desk.board.pk), agent_id=str(desk.agent.pk), max_turns=given)

    draft = desk.fresh_agent().draft
    assert (draft and draft.max_turns) == shown
    if shown is None:
        assert answer["code"] == "INVALID_INPUT"
    else:
        assert answer["agent"]["draft"]["max_turns"] == shown


@pytest.mark.requirement("A003")
@pytest.mark.parametrize("permissions", [{"web": "maybe"}, {"fly": "allowed"}, {"web": True}, "allowed"])
def test_a_permission_that_is_none_is_refused(desk: Desk, door: Door, permissions: object) -> None:
    answer = door(
        "create_agent_draft", board_id=str(desk.board.pk), name="X", instructions="X", permissions=permissions
    )

    assert answer["code"] == "INVALID_INPUT"
    assert Agent.objects.count() == 1


@pytest.mark.requirement("I001", "I004", "I012", "I013")
def test_an_account_is_connected_bound_listed_and_checked(
    desk: Desk, alice: Caller, door: Door, service: FakeProvider
) -> None:
    turn = desk.queue()

    connected = door(
        "connect_ai_account",
        kind="api_key",
        provider="anthropic",
        label="Bakery key",
        credential={"drop_id": dropped(alice, door)},
        base_url=service.url(),
    )
    account_id = connected["ai_account"]["id"]
    bound = door("bind_ai_account", account_id=account_id, scope="board", scope_id=str(desk.board.pk))
    listed = door("list_ai_accounts")
    checked = door("check_ai_account", account_id=account_id)
    wake_turns(alice.workspace.pk)

    turn.refresh_from_db()
    assert (connected["ai_account"]["state"], connected["is_model_listed"]) == ("ready", True)
    assert bound["binding"] == {"scope": "board", "board_id": str(desk.board.pk), "agent_id": None}
    assert [(one["label"], one["trouble"], one["bindings"]) for one in listed["ai_accounts"]] == [
        ("Bakery key", "", [bound["binding"]])
    ]
    assert checked["ai_account"]["id"] == account_id
    assert (turn.state, str(turn.account_id)) == ("queued", account_id)


@pytest.mark.requirement("I013")
def test_a_raw_key_is_not_taken(alice: Caller, door: Door, service: FakeProvider) -> None:
    for arguments in ({"api_key": KEY}, {"credential": {"drop_id": KEY}}, {"credential": KEY}):
        answer = door(
            "connect_ai_account",
            kind="api_key",
            provider="anthropic",
            label="Key",
            base_url=service.url(),
            **{"credential": {"drop_id": "x"}, **arguments},
        )
        assert answer["code"] in {"INVALID_INPUT", "SECRET_DROP_EXPIRED"}

    assert (AiAccount.objects.count(), service.requests) == (0, [])


@pytest.mark.requirement("I006", "A024")
def test_binding_an_agent_says_that_it_must_be_published_again(desk: Desk, account: AiAccount, door: Door) -> None:
    answer = door("bind_ai_account", account_id=str(account.pk), scope="agent", scope_id=str(desk.agent.pk))

    assert answer["needs_publish"] is True


@pytest.mark.parametrize(
    ("scope", "with_id", "code"),
    [("workspace", True, "INVALID_INPUT"), ("board", False, "INVALID_INPUT"), ("card", True, "INVALID_INPUT")],
)
def test_a_scope_and_its_id_belong_together(
    desk: Desk, account: AiAccount, door: Door, scope: str, with_id: bool, code: str
) -> None:
    arguments = {"scope_id": str(desk.board.pk)} if with_id else {}

    assert door("bind_ai_account", account_id=str(account.pk), scope=scope, **arguments)["code"] == code


@pytest.mark.requirement("W002")
def test_charlie_finds_nothing_of_alices(desk: Desk, account: AiAccount, charlie: Caller, alice: Caller) -> None:
    bind_account(alice, account=account, scope=BindingScope.WORKSPACE)
    door = Door(charlie)

    answers = [
        door("publish_agent", agent_id=str(desk.agent.pk)),
        door("create_agent_draft", board_id=str(desk.board.pk), name="X", instructions="X"),
        door("check_ai_account", account_id=str(account.pk)),
        door("bind_ai_account", account_id=str(account.pk), scope="workspace"),
    ]

    assert [answer["code"] for answer in answers] == ["NOT_FOUND"] * 4
    assert door("list_ai_accounts") == {"ai_accounts": []}


@pytest.mark.requirement("A023", "I012", "W028")
@pytest.mark.parametrize("capability", ["agents", "ai_accounts"])
def test_tools_of_a_capability_that_is_off_are_refused(
    alice: Caller, door: Door, desk: Desk, account: AiAccount, capability: str
) -> None:
    switch_capability(alice, name=capability, is_on=False)
    off = [tool for tool in TOOLS if capability in tool.capabilities]

    answers = [door(tool.name, agent_id=str(desk.agent.pk), account_id=str(account.pk)) for tool in off]

    assert [answer["code"] for answer in answers] == ["CAPABILITY_OFF"] * len(off)
    assert len(off) == {"agents": 2, "ai_accounts": 4}[capability]


def test_a_read_only_token_lists_and_nothing_else(alice: Caller, desk: Desk, account: AiAccount) -> None:
    door = Door(alice, Preset.READ_ONLY)

    answers = [
        door("publish_agent", agent_id=str(desk.agent.pk)),
        door("check_ai_account", account_id=str(account.pk)),
        door("bind_ai_account", account_id=str(account.pk), scope="workspace"),
    ]

    assert [answer["code"] for answer in answers] == ["TOKEN_READ_ONLY"] * 3
    assert len(door("list_ai_accounts")["ai_accounts"]) == 1


def test_a_connect_with_the_same_request_id_is_answered_and_not_repeated(
    alice: Caller, door: Door, service: FakeProvider
) -> None:
    given = {
        "kind": "api_key",
        "provider": "anthropic",
        "label": "Key",
        "credential": {"drop_id": dropped(alice, door)},
        "base_url": service.url(),
        "request_id": "connect-1",
    }

    first, second = (door("connect_ai_account", **given) for _ in range(2))

    assert first == second
    assert (AiAccount.objects.count(), len(service.requests)) == (1, 1)


@pytest.mark.requirement("W025", "I001")
def test_whoami_and_a_bad_check_show_no_key(alice: Caller, door: Door, service: FakeProvider) -> None:
    account = make_account(alice, service)
    service.script(fails(401, {"error": {"message": f"bad key {KEY}"}}))

    checked = door("check_ai_account", account_id=str(account.pk))
    me = door("whoami")

    assert (checked["ai_account"]["state"], checked["ai_account"]["trouble"]) == ("unavailable", "AI_KEY_REJECTED")
    assert [one["id"] for one in me["ai_accounts"]] == [str(account.pk)]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_schema_is_one_flat_object(tool: Any) -> None:
    schema = input_schema(tool.input)

    assert schema["type"] == "object"
    assert "anyOf" not in str(schema)
    assert "$ref" not in str(schema)
