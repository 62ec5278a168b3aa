"""What each capability with an effect is called on the pages, and what it does, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from workspaces import capabilities

NAMES: Mapping[str, tuple[str, str]] = {
    "control": (
        "Boards and columns",
        "Columns are added, renamed and put in order, and assistants see whole boards and for whom they work.",
    ),
    "agents": ("Agents", "AI agents work on the cards of a board."),
    "triggers": ("Rules", "A card that enters a column starts an agent by itself."),
    "secrets": ("Secret drops", "A key is typed where no assistant sees it, and an assistant may then use it."),
    "ai_accounts": ("AI accounts", "Your keys at AI providers are connected here, and pay for boards and agents."),
    "destinations": ("Destinations", "Finished work is delivered to a bucket of yours, with a receipt for each file."),
    "reviews": ("Reviews", "What agents make waits in the board’s work folder until a person decides on it."),
    "media": ("Files on cards", "People add files to cards, and agents that may read them are given them."),
    "dispatch": ("Emergency stop", "Owners and admins stop all agents at once, and resume their work."),
    "setup": (
        "Whole boards at once",
        "An assistant makes a board with agents and rules in one call, and can undo it.",
    ),
    "api_workflow": (
        "Guidelines and unreviewed rules",
        "A board has guidelines that each of its agents is given, and a rule may go without a review.",
    ),
    "hosted_ai": ("Agents on this server", "Agents run here, with your own keys at AI providers."),
    "hosted_work_folder": (
        "Work folders in BakedBrie",
        "A work folder needs no bucket of yours: its files wait in the storage of this instance.",
    ),
}


def called(name: str) -> str:
    """Return what people know a capability by; one without an effect goes by what it is for."""
    return NAMES[name][0] if name in NAMES else capabilities.TEXTS.get(name, name)


def meaning(name: str) -> str:
    return NAMES[name][1] if name in NAMES else ""
