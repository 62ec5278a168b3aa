"""What is only kept for a while: keys that no destination came to use."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from destinations.models import Destination
from workspaces.models import SealedSecret
from workspaces.states import SecretPurpose

# Much longer than a drop lives and connecting takes: what no destination holds by then was lost on the way.
UNUSED_KEY_FOR = timedelta(days=1)


def forget_old() -> dict[str, int]:
    """Destroy keys that were lost between their drop and a destination, and count them."""
    lost = SealedSecret.objects.filter(
        purpose=SecretPurpose.DESTINATION, destroyed_at=None, created_at__lt=Now() - UNUSED_KEY_FOR
    ).exclude(pk__in=Destination.objects.filter(secret__isnull=False).values("secret"))
    return {"destination_keys_destroyed": lost.update(sealed=None, destroyed_at=Now(), updated_at=Now())}
