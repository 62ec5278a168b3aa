"""What is not kept: yeses that nobody came for, clients that nobody uses, and keys that have run out."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from oauth2_provider.models import Application, clear_expired

from bakedbrie.lib import clock
from connecting.models import Consent

UNUSED_FOR = timedelta(days=1)
OVER_FOR = timedelta(days=30)


def forget_old() -> dict[str, int]:
    now = clock.now()
    clear_expired()
    unused = Q(token=None, created_at__lt=now - UNUSED_FOR)
    over = Q(token__revoked_at__lt=now - OVER_FOR) | Q(token__expires_at__lt=now - OVER_FOR)
    consents, _ = Consent.objects.filter(unused | over).delete()
    given = Application.objects.filter(consents=None, updated__lt=now - UNUSED_FOR)
    clients = given.exclude(registration_source=Application.RegistrationSource.MANUAL).count()
    given.exclude(registration_source=Application.RegistrationSource.MANUAL).delete()
    return {"consents": consents, "clients": clients}
