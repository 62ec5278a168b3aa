"""The admin's ground rules: operators see every workspace, owners with admin access only their own.

Definitions change through services, with a caller; rows that the machine writes can only be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Input, parse
from workspaces.access import caller_from_member
from workspaces.caller import Caller
from workspaces.models import Member, User, Workspace
from workspaces.roles import Role
from workspaces.services.actors import automation

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class OwnedAdmin(ModelAdmin):
    """Rows that reach their workspace through ``workspace_path``. Nothing is added or deleted by default."""

    workspace_path = "workspace"
    actions_on_top = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if is_operator(request):
            return rows
        return rows.filter(**{f"{self.workspace_path}__in": owned_workspaces(request)}).distinct()

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Take only the filters that the page offers: any other field could be read letter by letter."""
        offered = [name for name in self.list_filter if isinstance(name, str)]
        is_offered = any(lookup == name or lookup.startswith(f"{name}__") for name in offered)
        return is_offered and not any("\x00" in part for part in value)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_operator(request) or owned_workspaces(request).exists()

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show what a service refuses on the form; the form's transaction is rolled back."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except Refused as refused:
            self.message_user(request, refusal_text(refused), messages.ERROR)
            return HttpResponseRedirect(request.path)


class MachineRowAdmin(OwnedAdmin):
    """Rows that only services write."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def is_operator(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff and request.user.is_superuser


def owned_workspaces(request: HttpRequest) -> QuerySet[Workspace]:
    """Return the workspaces that the signed-in staff user owns."""
    if not (isinstance(request.user, User) and request.user.is_active and request.user.is_staff):
        return Workspace.objects.none()
    owned = Member.objects.filter(user=request.user, role=Role.OWNER, removed_at=None)
    return Workspace.objects.filter(pk__in=owned.values("workspace"))


def admin_caller(request: HttpRequest, workspace: Workspace) -> Caller:
    """Return the staff user as a member of the workspace.

    An operator who is no member acts as an automation that bears their address: the services let it do what a token
    may, and keep the change of rights for people of the workspace.
    """
    members = Member.objects.select_related("workspace", "actor", "user").filter(workspace=workspace, removed_at=None)
    member = members.filter(user=request.user).first() if isinstance(request.user, User) else None
    if member is not None:
        return caller_from_member(member)
    owner = members.filter(role=Role.OWNER, user__is_active=True).order_by("pk")[0]
    actor = automation(workspace, f"Operator {request.user.get_username()}"[:120])
    return Caller(workspace=workspace, member=owner, actor=actor)


def changed(form: forms.ModelForm[Any], model: type[Input], **more: object) -> dict[str, Any]:
    """Return the fields that were changed, as ``model`` takes them at every other door; ``more`` is what else it needs.

    Refuses INVALID_INPUT.
    """
    given = {field: form.cleaned_data[field] for field in form.changed_data}
    return parse(model, {**more, **given}).model_dump(include=set(given)) if given else {}


def refusal_text(refused: Refused) -> str:
    fields = refused.details.get("fields")
    problems = fields.items() if isinstance(fields, Mapping) else ()
    said = (f"{field}: {', '.join(texts)}." for field, texts in problems)
    return " ".join([refused.message, *said, refused.fix]).strip()
