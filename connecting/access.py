"""Finding clients and consents. Those that change something meanwhile are locked."""

from __future__ import annotations

from oauth2_provider.models import Application, RefreshToken

from connecting.models import Consent

LONGEST_CLIENT_ID = 255


def find_client(client_id: str) -> Application | None:
    """Return a client that is kept, or None."""
    if not 0 < len(client_id) <= LONGEST_CLIENT_ID or not client_id.isprintable():
        return None
    client: Application | None = Application.objects.filter(client_id=client_id).first()
    return client


def lock_by_code(code_digest: str, client: Application) -> Consent | None:
    """Return the consent that a code stands for, held until the transaction ends: of two at once, one waits."""
    return _locked(code_digest=code_digest, client=client)


def lock_by_refresh_token(digest: str, client: Application) -> Consent | None:
    """Return the consent that a refresh token came of, old ones among them."""
    family = RefreshToken.objects.filter(token_checksum=digest, application=client).values("token_family")
    return _locked(family__in=family[:1], client=client)


def lock_by_access_token(digest: str, client: Application) -> Consent | None:
    return _locked(token__digest=digest, client=client)


def was_used(digest: str, client: Application) -> bool:
    """Whether a refresh token was used before, or ended with its family."""
    rows = RefreshToken.objects.filter(token_checksum=digest, application=client)
    return rows.exists() and not rows.filter(revoked=None).exists()


def _locked(**which: object) -> Consent | None:
    """Lock first and read then: who waited would get the rows beside it as they were before."""
    locked = Consent.objects.select_for_update(of=("self",)).filter(**which).first()
    if locked is None:
        return None
    rows = Consent.objects.select_related("member__user", "member__actor", "member__workspace", "token__member__user")
    return rows.select_related("client").get(pk=locked.pk)
