"""The addresses of OAuth, all made from APP_URL, so that issuer, resource and audience are the same byte for byte."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

from workspaces.audience import mcp_address

SCOPE = "mcp"  # what an assistant may do with it is the preset that its person chose
RESOURCE_DOCUMENT = "/.well-known/oauth-protected-resource"
SERVER_DOCUMENT = "/.well-known/oauth-authorization-server"


def issuer() -> str:
    """Return who gives the tokens. No slash at its end, in no document and no redirect."""
    address: str = settings.APP_URL
    return address


def below(path: str) -> str:
    return f"{issuer()}{path}"


def resource_document() -> str:
    """Return where RFC 9728's document lies below APP_URL; the answer 401 names it."""
    return below(f"{RESOURCE_DOCUMENT}/mcp")


def at_the_root(document: str, named: str) -> str:
    """Return where clients look that insert the well-known path between host and path (RFC 8414, RFC 9728)."""
    parts = urlsplit(named)
    return f"{parts.scheme}://{parts.netloc}{document}{parts.path}"


def challenge() -> str:
    """Return what the challenge of /mcp says besides its realm."""
    return f'resource_metadata="{resource_document()}", scope="{SCOPE}"'


def resource() -> str:
    return mcp_address()
