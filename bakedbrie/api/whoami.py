"""whoami, the first call of a session: the only tool that reads from every app."""

from __future__ import annotations

from django.conf import settings

from agents.models import AiAccount
from agents.selectors import accounts_alone_of, trouble_of
from bakedbrie.lib.toolkit.inputs import Input
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from destinations.selectors.destinations import destinations_alone_of
from destinations.services.destinations import target_of
from workspaces.caller import Caller
from workspaces.selectors import capability_switches
from workspaces.services.room import usage_of
from workspaces.states import Preset


class WhoamiIn(Input):
    """Takes nothing."""


def whoami(caller: Caller, given: WhoamiIn) -> Answer:
    answer: dict[str, object] = {
        "workspace": {"id": str(caller.workspace.pk), "name": caller.workspace.name},
        "user": {
            "id": str(caller.member.user_id),
            "name": str(caller.member.user),
            "role": caller.role.value,
            "owner_id": str(caller.actor.pk),
        },
        "token": _token(caller),
        "capabilities": capability_switches(caller),
        "dispatch_paused": caller.workspace.dispatch_paused,
        "ai_accounts": _accounts(caller),
        "destinations": _destinations(caller),
        "app_url": settings.APP_URL,
    }
    if "hosted_work_folder" in caller.capabilities and caller.preset is not Preset.RUNNER:
        usage = usage_of(caller.workspace.pk)
        answer["storage"] = {"bytes_used": usage.bytes, "bytes_allowed": usage.quota_bytes}
    if "runner" in caller.capabilities:
        answer["runners"] = []
    return answer


def _token(caller: Caller) -> dict[str, str] | None:
    if caller.token is None:
        return None
    return {"id": str(caller.token.pk), "label": caller.token.label, "preset": caller.preset.value}


def _accounts(caller: Caller) -> list[dict[str, str]]:
    """A runner token learns its own standing and nothing of the workspace's content."""
    if caller.preset is Preset.RUNNER:
        return []
    return [_account(account) for account in accounts_alone_of(caller)]


def _destinations(caller: Caller) -> list[dict[str, str]]:
    if caller.preset is Preset.RUNNER or "destinations" not in caller.capabilities:
        return []
    return [
        {"id": str(one.pk), "name": one.name, "type": one.kind, "state": one.state, "target": target_of(one)}
        for one in destinations_alone_of(caller)
    ]


def _account(account: AiAccount) -> dict[str, str]:
    return {
        "id": str(account.pk),
        "label": account.label,
        "kind": account.kind,
        "provider": account.provider,
        "model": account.model,
        "state": account.state,
        "trouble": trouble_of(account, account.workspace),
    }


TOOL: Tool[Caller] = Tool(
    name="whoami",
    title="Who am I",
    description=(
        "Call this first. It tells the workspace, the user and their role, what this token may do, which capabilities "
        "are on, whether work is paused, AI accounts, destinations, storage and the address of the web app. owner_id "
        "is the user as the owner of a card."
    ),
    input=WhoamiIn,
    handler=whoami,
    effect=Effect.READ,
    capabilities=("control",),
    serves_runner=True,
)
