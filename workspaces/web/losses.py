"""What somebody loses with their membership, in words, for the questions before it ends."""

from __future__ import annotations

from workspaces.models import Member
from workspaces.selectors import holdings_of


def losses_of(member: Member, *, is_self: bool) -> tuple[str, ...]:
    """Return a sentence for each thing that ends, stays, or would have to be done to come back."""
    held = holdings_of(member)
    who = "you" if is_self else member.actor.name
    whose = "your" if is_self else "their"
    points = [f"{'You' if is_self else who} can open nothing of this workspace any more, from the next click on."]
    if held.tokens:
        points.append(f"{held.tokens} of {whose} tokens stop{_s(held.tokens)} working, for good.")
    if held.invites:
        invitations = "invitation" if held.invites == 1 else "invitations"
        points.append(f"{held.invites} {invitations} that {who} made cannot be accepted any more.")
    return (
        *points,
        f"Agents start nothing more on cards that {who} handed to them: somebody else moves those cards again.",
        f"Everything that {who} wrote stays, under {whose} name.",
        f"To come back, {who} need{'' if is_self else 's'} a new invitation, and to be let into each board again.",
    )


def _s(count: int) -> str:
    return "s" if count == 1 else ""
