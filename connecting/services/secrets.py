"""The texts that assistants hold: as long as those of tokens, and known to the log as such."""

from __future__ import annotations

from bakedbrie.lib import ids
from workspaces.services.tokens import PREFIX


def new_access_token(request: object, refresh_token: bool = False) -> str:
    """Called by oauthlib."""
    return ids.new_secret(PREFIX)


def new_refresh_token(request: object) -> str:
    """Called by oauthlib."""
    return ids.new_secret(f"{PREFIX}r_")
