"""An account that cannot be connected says why, in words that a person can act on."""

from __future__ import annotations

import pytest

from agents.calls.connect_account import connect_account
from agents.refusals import AI_PROVIDER_UNREACHABLE
from agents.services.accounts import plan_account
from agents.states import AccountKind, Provider
from bakedbrie.lib.refusals import Refused
from tests.factories.agents import make_drop
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "base_url", ["http://127.0.0.1:11434/v1", "http://localhost:1234/v1", "https://192.168.1.7/v1", "https://nas/v1"]
)
def test_a_model_of_ones_own_is_told_which_setting_names_it(base_url: str) -> None:
    with pytest.raises(Refused) as refused:
        plan_account(
            label="Ollama", kind=AccountKind.API_KEY, provider=Provider.OPENAI_COMPATIBLE, base_url=base_url, model="m"
        )

    assert refused.value.code == "INVALID_INPUT"
    assert "OUTBOUND_LOOPBACK" in str(refused.value.details["fields"])


def test_a_host_that_is_not_known_is_named(alice: Caller) -> None:
    plan = plan_account(
        label="Key", kind=AccountKind.API_KEY, provider=Provider.OPENAI, base_url="https://absent.invalid/v1"
    )

    with pytest.raises(Refused) as refused:
        connect_account(alice, plan=plan, drop_id=str(make_drop(alice).pk))

    assert (refused.value.code, refused.value.details) == ("AI_PROVIDER_UNREACHABLE", {"reason": "HOST_UNKNOWN"})
    assert "absent.invalid" in refused.value.message
    assert refused.value.fix == AI_PROVIDER_UNREACHABLE.fix
