"""Who is at work in the admin: operators, owners of a workspace, and as whom the services see them."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest

from workspaces.access import caller_from_member
from workspaces.caller import Caller
from workspaces.models import Member, User, Workspace
from workspaces.refusals import FORBIDDEN
from workspaces.roles import Role, is_at_least
from workspaces.services.actors import automation


def is_operator(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff and request.user.is_superuser


def owned_workspaces(request: HttpRequest) -> QuerySet[Workspace]:
    """Return the workspaces that the signed-in person owns."""
    return Workspace.objects.filter(pk__in=owned_ids(request))


def owned_ids(request: HttpRequest) -> list[uuid.UUID]:
    """Return their ids, looked up once for each request: a page asks for every one of its links."""
    known: list[uuid.UUID] | None = getattr(request, "owned_ids", None)
    if known is None:
        owned = Member.objects.filter(user=request.user.pk, user__is_active=True, role=Role.OWNER, removed_at=None)
        known = list(owned.values_list("workspace", flat=True))
        request.owned_ids = known  # type: ignore[attr-defined]
    return known


def open_workspaces(request: HttpRequest) -> QuerySet[Workspace]:
    """Return the workspaces that the signed-in person sees in the admin: every one for operators, else their own."""
    return Workspace.objects.all() if is_operator(request) else owned_workspaces(request)


def may_act(request: HttpRequest, workspace: Workspace) -> bool:
    return _member(request, workspace) is not None


def acting_caller(request: HttpRequest, workspace: Workspace) -> Caller:
    """Return the signed-in person as a member of the workspace, with their role.

    An operator who is no member looks at everything and changes nothing: FORBIDDEN.
    """
    member = _member(request, workspace)
    if member is None:
        raise FORBIDDEN("An operator who is no member of the workspace looks and stops; anything else is its own.")
    return caller_from_member(member)


def stopping_caller(request: HttpRequest, workspace: Workspace) -> Caller:
    """Return whoever stops something: a member who manages the workspace, else an operator, who may stop everywhere.

    The operator stands in history and on the audit trail as an automation that bears their address. The services let
    it do what a token may, and keep the change of rights for people of the workspace.
    """
    member = _member(request, workspace)
    is_manager = member is not None and is_at_least(Role(member.role), Role.ADMIN)
    if is_manager or not is_operator(request):
        return acting_caller(request, workspace)
    members = Member.objects.select_related("workspace", "actor", "user").filter(workspace=workspace, removed_at=None)
    owner = members.filter(role=Role.OWNER, user__is_active=True).order_by("pk")[0]
    actor = automation(workspace, f"Operator {request.user.get_username()}"[:120])
    return Caller(workspace=workspace, member=owner, actor=actor)


def _member(request: HttpRequest, workspace: Workspace) -> Member | None:
    if not isinstance(request.user, User):
        return None
    members = Member.objects.select_related("workspace", "actor", "user")
    return members.filter(workspace=workspace, user=request.user, removed_at=None, user__is_active=True).first()
