"""What is not kept: drops nobody used, old sign-in links, sessions that are over, answers nobody repeats."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from workspaces.models import RequestRecord, SealedSecret, SecretDrop, SignInLink
from workspaces.services.replay import KEPT_FOR
from workspaces.services.sessions import forget_over
from workspaces.states import DropState

OVER_FOR = timedelta(days=1)


def forget_old() -> dict[str, int]:
    """Destroy the secrets of drops that ran out unused, and delete rows that have done their work."""
    unused = SecretDrop.objects.filter(expires_at__lt=Now(), state=DropState.FILLED)
    secrets = SealedSecret.objects.filter(destroyed_at=None, pk__in=unused.values("secret"))
    destroyed = secrets.update(sealed=None, destroyed_at=Now(), updated_at=Now())
    drops, _ = SecretDrop.objects.filter(expires_at__lt=Now() - OVER_FOR).delete()
    links, _ = SignInLink.objects.filter(expires_at__lt=Now() - OVER_FOR).delete()
    records, _ = RequestRecord.objects.filter(created_at__lt=Now() - KEPT_FOR).delete()
    return {
        "secrets_destroyed": destroyed,
        "drops": drops,
        "links": links,
        "records": records,
        "sessions": forget_over(),
    }
