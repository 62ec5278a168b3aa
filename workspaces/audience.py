"""Whom the token of a connected assistant is for: the one address of MCP, byte for byte."""

from __future__ import annotations

from django.conf import settings


def mcp_address() -> str:
    """Return the address that assistants connect to; as OAuth calls it, the resource."""
    return f"{settings.APP_URL}/mcp"
