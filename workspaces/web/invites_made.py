"""Invitations that owners and admins have made: open ones, and those that nobody can accept any more."""

from __future__ import annotations

from dataclasses import dataclass

from bakedbrie.lib import clock
from workspaces.access import may_still_invite
from workspaces.caller import Caller
from workspaces.models import Invite
from workspaces.selectors import unanswered_invites

MOST_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Invitations:
    """``over`` are those that were neither accepted nor taken back, and cannot be accepted any more."""

    open: list[Invite]
    over: list[Invite]
    is_cut: bool


def invitations(caller: Caller) -> Invitations:
    now = clock.now()
    found = list(unanswered_invites(caller)[: MOST_SHOWN + 1])
    shown = found[:MOST_SHOWN]
    is_open = {invite.pk: invite.expires_at > now and may_still_invite(invite) for invite in shown}
    return Invitations(
        open=[invite for invite in shown if is_open[invite.pk]],
        over=[invite for invite in shown if not is_open[invite.pk]],
        is_cut=len(found) > MOST_SHOWN,
    )
