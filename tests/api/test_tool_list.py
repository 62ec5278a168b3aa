"""Which tools a token is shown."""

from __future__ import annotations

import pytest

from bakedbrie.api.catalog import TOOLS
from tests.architecture.test_tools import BASE
from tests.support.cast import api
from workspaces import capabilities
from workspaces.caller import Caller
from workspaces.models import Workspace
from workspaces.states import Preset

pytestmark = pytest.mark.django_db

ALL_ON = list(capabilities.TEXTS)


def listed(caller: Caller, preset: Preset = Preset.FULL_CONTROL) -> set[str]:
    response = api(caller, preset).get("/api/v1/tools")
    assert response.status_code == 200
    return {tool["name"] for tool in response.json()["tools"]}


def switch(caller: Caller, *names: str) -> None:
    Workspace.objects.filter(pk=caller.workspace.pk).update(capabilities=list(names))


@pytest.mark.requirement("W051")
@pytest.mark.parametrize("preset", [Preset.FULL_CONTROL, Preset.READ_ONLY])
def test_with_everything_off_the_ten_base_tools_are_left(alice: Caller, preset: Preset) -> None:
    switch(alice)

    assert listed(alice, preset) == BASE


def test_with_everything_on_all_tools_are_listed(alice: Caller) -> None:
    switch(alice, *ALL_ON)

    assert listed(alice) == set(TOOLS)


@pytest.mark.requirement("W026", "W052")
@pytest.mark.parametrize("name", ALL_ON)
def test_each_capability_takes_its_own_tools_away_in_its_own_workspace(
    alice: Caller, charlie: Caller, name: str
) -> None:
    switch(alice, *(one for one in ALL_ON if one != name))
    switch(charlie, *ALL_ON)

    gone = set(TOOLS) - listed(alice)

    assert gone == {tool.name for tool in TOOLS.values() if name in tool.capabilities}
    assert listed(charlie) == set(TOOLS)


@pytest.mark.requirement(
    "W027", "W028", "W029", "W030", "W031", "W032", "W033", "W034", "W036", "W037", "A023", "B020", "B029", "I012"
)
@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("control", {"whoami", "manage_stages", "read_docs"}),
        ("agents", {"create_agent_draft", "publish_agent", "manage_agent", "manage_turn"}),
        ("triggers", {"author_workflow_draft", "publish_workflow", "list_triggers"}),
        ("secrets", {"prepare_secret"}),
        ("ai_accounts", {"list_ai_accounts", "connect_ai_account", "bind_ai_account", "check_ai_account"}),
        ("media", {"list_card_files", "get_output"}),
        ("destinations", {"manage_destination", "redeliver", "list_results"}),
        ("dispatch", {"pause_workspace_dispatch", "resume_workspace_dispatch"}),
        ("api_workflow", {"manage_board_guidelines"}),
        ("reviews", {"set_work_folder", "list_reviews", "get_review", "decide_review"}),
        ("outputs", set()),
    ],
)
def test_what_a_capability_turns_on(name: str, tools: set[str]) -> None:
    assert {tool.name for tool in TOOLS.values() if name in tool.capabilities} == tools


def test_a_read_only_token_is_spared_what_only_writes(alice: Caller) -> None:
    switch(alice, *ALL_ON)

    names = listed(alice, Preset.READ_ONLY)

    spared = set(TOOLS) - names
    assert names >= BASE
    assert {"whoami", "manage_stages", "list_ai_accounts"} <= names
    assert {"prepare_secret", "publish_agent", "pause_workspace_dispatch"} <= spared
    assert all(not TOOLS[name].only_reads and not TOOLS[name].reads for name in spared)


@pytest.mark.requirement("W010")
def test_a_runner_token_sees_whoami_alone(alice: Caller) -> None:
    assert listed(alice, Preset.RUNNER) == {"whoami"}


def test_the_list_is_the_same_for_every_role(alice: Caller, vic: Caller) -> None:
    assert listed(alice) == listed(vic)
