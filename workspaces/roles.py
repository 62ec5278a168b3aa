"""The four roles, and which one is enough."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a member is in the workspace (W004)."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"


_RANK = {Role.VIEWER: 0, Role.MEMBER: 1, Role.ADMIN: 2, Role.OWNER: 3}


def is_at_least(role: Role, least: Role) -> bool:
    return _RANK[role] >= _RANK[least]
