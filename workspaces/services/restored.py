"""After a restore: the rows are those of an earlier moment, and the world went on."""

from __future__ import annotations

from django.contrib.sessions.models import Session

from bakedbrie.lib import clock
from workspaces.models import RequestRecord, SignInLink, Workspace
from workspaces.states import RecordState


def settle_restored(made_at: str) -> dict[str, int]:
    """Pause every workspace, name calls that were under way unknown, and end sessions and sign-in links.

    A session that was ended since the backup, and a link that was used since, must not count again.
    """
    reason = f"Restored from a backup of {made_at}: what was queued then may have been sent since. Look, then resume."
    running = Workspace.objects.filter(dispatch_paused=False)
    under_way = RequestRecord.objects.filter(state=RecordState.IN_PROGRESS)
    links, _ = SignInLink.objects.all().delete()
    sessions, _ = Session.objects.all().delete()
    return {
        "workspaces paused": running.update(dispatch_paused=True, dispatch_reason=reason, updated_at=clock.now()),
        "requests unknown": under_way.update(state=RecordState.UNKNOWN, updated_at=clock.now()),
        "sign-in links ended": links,
        "sessions ended": sessions,
    }
