"""Workspaces, members and their callers, made through the services."""

from __future__ import annotations

from itertools import count

from workspaces.access import caller_from_member, caller_from_token
from workspaces.caller import Caller
from workspaces.models import Member, User
from workspaces.roles import Role
from workspaces.services.members import add_member
from workspaces.services.workspaces import create_workspace

PASSWORD = "oven gloves on a hook"

_numbers = count(1)


def make_user(name: str = "Nora Nobody") -> User:
    """Make a person with an e-mail address of their own, who can sign in with ``PASSWORD``."""
    email = f"{name.lower().replace(' ', '.')}.{next(_numbers)}@example.com"
    return User.objects.create_user(email, PASSWORD, name=name)


def make_workspace(name: str = "Bakery", owner: str = "Olga Owner") -> Caller:
    """Make a workspace and return its owner, as on the web."""
    user = make_user(owner)
    workspace = create_workspace(name=name, owner=user)
    return caller_of(Member.objects.get(workspace=workspace, user=user))


def make_member(owner: Caller, name: str = "Max Member", role: Role = Role.MEMBER) -> Caller:
    """Add a person to the owner's workspace and return them, as on the web."""
    return caller_of(add_member(owner, user=make_user(name), role=role))


def caller_of(member: Member, request_id: str = "") -> Caller:
    """Return a fresh caller for a member, as a page would make it."""
    fresh = Member.objects.select_related("workspace", "actor", "user").get(pk=member.pk)
    return caller_from_member(fresh, request_id)


def token_caller(raw: str, request_id: str = "") -> Caller:
    """Return the caller that a token stands for, as the API would make it."""
    return caller_from_token(raw, request_id)
