"""What is only kept for a while: the transcripts of turns, and keys that no account came to use."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from agents.models import AiAccount, TurnLine
from workspaces.models import SealedSecret
from workspaces.states import SecretPurpose

LINES_FOR = timedelta(days=30)
# Much longer than a drop lives and connecting takes: what no account holds by then was lost on the way.
UNUSED_KEY_FOR = timedelta(days=1)


def forget_old() -> dict[str, int]:
    """Delete old transcripts, destroy keys that were lost between their drop and an account, and count both."""
    lost = SealedSecret.objects.filter(
        purpose=SecretPurpose.AI_ACCOUNT, destroyed_at=None, created_at__lt=Now() - UNUSED_KEY_FOR
    ).exclude(pk__in=AiAccount.objects.filter(secret__isnull=False).values("secret"))
    return {
        "turn_lines": TurnLine.objects.filter(created_at__lt=Now() - LINES_FOR).delete()[0],
        "keys_destroyed": lost.update(sealed=None, destroyed_at=Now(), updated_at=Now()),
    }
