"""The 24 capabilities of a workspace: names, what each turns on, and what each needs."""

from __future__ import annotations

from collections.abc import Iterable

TEXTS: dict[str, str] = {
    "control": "Naming the caller, managing columns, and the full board reads",
    "agents": "Agents",
    "triggers": "Rules and schedules",
    "secrets": "Secret drops",
    "ai_accounts": "AI accounts",
    "destinations": "Destinations, results and redelivery",
    "reviews": "Work folders and reviews",
    "media": "Card files, uploads, outputs and device pairing",
    "external_jobs": "Media jobs at outside services",
    "dispatch": "Emergency stop and resume",
    "outputs": "Reserved; nothing depends on it today",
    "setup": "Setting up a whole board in one call, and undoing it",
    "inbound": "Messages from Slack and webhooks become cards",
    "api_workflow": "API destinations, board hooks, check rules, guidelines, inbound endpoints, Slack member links",
    "runner": "The runner on people's own computers",
    "runner_claude": "The runner accepts Claude Code",
    "runner_codex": "The runner accepts Codex",
    "hosted_ai": "Agents run from the server on your own provider key",
    "slack_app": "The shared Slack app",
    "hosted_work_folder": "BakedBrie storage as the default work folder",
    "custom_oauth": "Custom API destinations that sign in through your own OAuth app",
    "connections": "Outside services used while working, within limits a person sets",
    "connections_oauth": "Connections that sign in with OAuth, and mail draft and Teams destinations",
    "connection_webhooks": "Signed events of outside services make cards",
}
NEEDS: dict[str, tuple[str, ...]] = {
    "connections_oauth": ("connections",),
    "connection_webhooks": ("connections", "connections_oauth"),
}
# What this version asks for somewhere. Behind the others is nothing yet: on or off makes no difference.
BUILT = frozenset(
    {
        "control",
        "agents",
        "triggers",
        "secrets",
        "ai_accounts",
        "destinations",
        "media",
        "dispatch",
        "setup",
        "api_workflow",
        "hosted_ai",
        "reviews",
        "hosted_work_folder",
    }
)
DEFAULTS: tuple[str, ...] = (
    "control",
    "agents",
    "triggers",
    "secrets",
    "ai_accounts",
    "media",
    "dispatch",
    "setup",
    "hosted_ai",
)


def effective(switched_on: Iterable[str]) -> frozenset[str]:
    """Return what is really on: a capability whose needs are off counts as off (W048, W050)."""
    on = set(switched_on) & set(TEXTS)
    return frozenset(name for name in on if all(need in on for need in NEEDS.get(name, ())))
