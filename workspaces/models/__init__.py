"""Who may do what, and the credentials the workspace owns."""

from __future__ import annotations

from workspaces.models.actor import Actor
from workspaces.models.audit import AuditEntry
from workspaces.models.invite import Invite
from workspaces.models.member import Member
from workspaces.models.request_record import RequestRecord
from workspaces.models.secret import SealedSecret, SecretDrop
from workspaces.models.sign_in_link import SignInLink
from workspaces.models.storage_use import StorageUse
from workspaces.models.token import Token
from workspaces.models.user import User
from workspaces.models.workspace import Workspace

__all__ = [
    "Actor",
    "AuditEntry",
    "Invite",
    "Member",
    "RequestRecord",
    "SealedSecret",
    "SecretDrop",
    "SignInLink",
    "StorageUse",
    "Token",
    "User",
    "Workspace",
]
