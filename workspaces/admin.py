"""The admin of people, rights and credentials. Digests and sealed values have no field here."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.forms import AdminUserCreationForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from workspaces import capabilities
from workspaces.admin_access import is_operator, owned_ids, owned_workspaces
from workspaces.caller import Caller
from workspaces.input_form import InputForm
from workspaces.inputs import AddMemberIn, ChangeRoleIn, EditUserIn, EditWorkspaceIn, InviteIn
from workspaces.models import (
    Actor,
    AuditEntry,
    Invite,
    Member,
    RequestRecord,
    SealedSecret,
    SecretDrop,
    SignInLink,
    StorageUse,
    Token,
    User,
    Workspace,
)
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch, resume_dispatch
from workspaces.services.invites import invite_member, revoke_invite
from workspaces.services.members import add_member, change_role, remove_member
from workspaces.services.sign_in_links import make_link
from workspaces.services.tokens import revoke_token
from workspaces.services.users import rename_user, set_active, set_operator
from workspaces.services.workspaces import change_time_zone, rename_workspace
from workspaces.storage_admin import StorageUseAdmin


class WorkspaceForm(InputForm):
    input_model = EditWorkspaceIn
    capabilities = forms.MultipleChoiceField(
        choices=list(capabilities.TEXTS.items()), widget=forms.CheckboxSelectMultiple, required=False
    )

    class Meta:
        model = Workspace
        fields = ["name", "time_zone", "capabilities", "dispatch_paused", "dispatch_reason"]


@admin.register(Workspace)
class WorkspaceAdmin(OwnedAdmin):
    workspace_path = "pk"
    form = WorkspaceForm
    list_display = ["name", "work", "dispatch_reason", "created_at"]
    list_filter = ["dispatch_paused"]
    search_fields = ["name"]
    ordering = ["name", "pk"]
    fields = ["name", "time_zone", "capabilities", "dispatch_paused", "dispatch_reason"]
    actions = ["pause"]

    @admin.display(ordering="dispatch_paused")
    def work(self, workspace: Workspace) -> str:
        return "paused" if workspace.dispatch_paused else "goes on"

    def save_model(self, request: HttpRequest, obj: Workspace, form: WorkspaceForm, change: bool) -> None:
        given = form.given
        caller = self.caller(request, obj)
        if "name" in given:
            rename_workspace(caller, name=given["name"])
        if "time_zone" in given:
            change_time_zone(caller, time_zone=given["time_zone"])
        for name in sorted(set(given.get("capabilities", obj.capabilities)) ^ set(obj.capabilities)):
            switch_capability(caller, name=name, is_on=name not in obj.capabilities)
        is_paused = given.get("dispatch_paused", obj.dispatch_paused)
        if is_paused and not obj.dispatch_paused:
            pause_dispatch(caller, reason=given.get("dispatch_reason", ""))
        if obj.dispatch_paused and not is_paused:
            resume_dispatch(caller)

    @admin.action(description="Pause all work", permissions=["view"])
    def pause(self, request: HttpRequest, rows: QuerySet[Workspace]) -> None:
        self.each(request, rows, _pause, done="Paused", stops=True)


def _pause(caller: Caller, workspace: Workspace) -> None:
    pause_dispatch(caller, reason="Paused in the admin.")


class MemberForm(InputForm):
    input_model = ChangeRoleIn

    class Meta:
        model = Member
        fields = ["role"]


class NewMemberForm(InputForm):
    input_model = AddMemberIn

    class Meta:
        model = Member
        fields = ["workspace", "user", "role"]


@admin.register(Member)
class MemberAdmin(OwnedAdmin):
    form = MemberForm
    list_display = ["user", "workspace", "role", "created_at", "removed_at"]
    list_select_related = ["user", "workspace"]
    list_filter = ["role"]
    search_fields = ["user__name", "user__email", "workspace__name"]
    ordering = ["-pk"]
    fields = ["workspace", "user", "role", "removed_at"]
    actions = ["remove"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request) and bool(owned_ids(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return ["workspace", "user", "removed_at"] if obj else ["removed_at"]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "workspace":
            kwargs["queryset"] = owned_workspaces(request)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **(kwargs if obj else {**kwargs, "form": NewMemberForm}))

    def save_model(self, request: HttpRequest, obj: Member, form: InputForm, change: bool) -> None:
        if change:
            if form.given:
                change_role(self.caller(request, obj), member=obj, role=Role(form.given["role"]))
            return
        obj.workspace, obj.user, obj.role = (form.cleaned_data[name] for name in ("workspace", "user", "role"))
        obj.pk = add_member(self.caller(request, obj), user=obj.user, role=Role(obj.role)).pk

    @admin.action(description="Remove from the workspace")
    def remove(self, request: HttpRequest, rows: QuerySet[Member]) -> HttpResponse | None:
        page = self.ask_first(request, rows, action="remove", does="Remove them; their tokens stop working.")
        if page is None:
            self.each(request, rows, lambda caller, member: remove_member(caller, member=member), done="Removed")
        return page


class InviteForm(InputForm):
    input_model = InviteIn

    class Meta:
        model = Invite
        fields = ["workspace", "email", "role"]

    def more(self) -> dict[str, object]:
        return {"email": self.cleaned_data.get("email", ""), "role": self.cleaned_data.get("role", "")}


@admin.register(Invite)
class InviteAdmin(OwnedAdmin):
    """The link is shown once, after saving."""

    form = InviteForm
    list_display = ["email", "role", "workspace", "invited_by", "expires_at", "accepted_at", "revoked_at"]
    list_select_related = ["workspace", "invited_by__user"]
    list_filter = ["role"]
    search_fields = ["email"]
    ordering = ["-id"]
    actions = ["revoke"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(owned_ids(request))

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        fields = ["workspace", "email", "role"]
        over = ["invited_by", "created_at", "expires_at", "accepted_at", "accepted_by", "revoked_at"]
        return [*fields, *over] if obj else fields

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "workspace":
            kwargs["queryset"] = owned_workspaces(request)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Invite, form: InviteForm, change: bool) -> None:
        obj.workspace = form.cleaned_data["workspace"]
        asked = parse(InviteIn, form.more())
        made, path = invite_member(self.caller(request, obj), email=asked.email, role=Role(asked.role))
        obj.pk, obj.email, obj.role = made.pk, made.email, made.role
        self.message_user(request, f"Shown only now, for {made.email}: {settings.APP_URL}{path}")

    @admin.action(description="Take back", permissions=["view"])
    def revoke(self, request: HttpRequest, rows: QuerySet[Invite]) -> None:
        self.each(request, rows, lambda caller, invite: revoke_invite(caller, invite=invite), done="Taken back")


class UserCreationForm(AdminUserCreationForm):
    """Takes the names and addresses that every other door takes."""

    class Meta:
        model = User
        fields = ["email", "name"]

    def clean_email(self) -> str:
        return str(self._checked("email"))

    def clean_name(self) -> str:
        return str(self._checked("name"))

    def _checked(self, field: str) -> object:
        try:
            return getattr(parse(EditUserIn, {field: self.cleaned_data[field]}), field)
        except Refused as refused:
            problems: dict[str, list[str]] = dict(refused.details["fields"])  # type: ignore[call-overload]
            raise forms.ValidationError(problems[field]) from None


class UserForm(InputForm):
    input_model = EditUserIn
    is_operator = forms.BooleanField(
        required=False, help_text="Runs the server: sees every workspace here, and may stop its work."
    )

    class Meta:
        model = User
        fields = ["name", "is_active"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["is_operator"] = self.instance.is_staff and self.instance.is_superuser


@admin.register(User)
class UserAdmin(OwnedAdmin):
    workspace_path = "memberships__workspace"
    is_shared = True
    form = UserForm
    list_display = ["email", "name", "is_active", "is_operator", "date_joined"]
    list_filter = ["is_active", "is_superuser"]
    search_fields = ["email", "name"]
    ordering = ["email"]
    actions = ["show_sign_in_link"]

    @admin.display(boolean=True, description="operator")
    def is_operator(self, user: User) -> bool:
        return user.is_staff and user.is_superuser

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_operator(request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs) if obj else UserCreationForm

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        if obj is None:
            return ["email", "name", "usable_password", "password1", "password2"]
        return ["email", "name", "is_active", "is_operator", "last_login", "date_joined"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return ["email", "last_login", "date_joined"] if obj else []

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if not change:
            obj.save(force_insert=True)
            return
        given = form.given
        if "name" in given:
            rename_user(obj, given["name"])
        if "is_active" in given:
            set_active(obj, is_active=given["is_active"], operator=request.user.get_username())
        if "is_operator" in given:
            set_operator(obj, is_operator=given["is_operator"])

    @admin.action(description="Show a one-time sign-in link")
    def show_sign_in_link(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        if not is_operator(request):
            self.message_user(request, "Only an operator makes sign-in links.", messages.ERROR)
            return
        for user in rows:
            self.message_user(request, f"{user.email}: {settings.APP_URL}{make_link(user)}")
            self.log_change(request, user, "Made a one-time sign-in link.")


@admin.register(Token)
class TokenAdmin(MachineRowAdmin):
    list_display = ["label", "hint", "preset", "member", "workspace", "last_used_at", "expires_at", "revoked_at"]
    list_select_related = ["member__user", "workspace"]
    list_filter = ["preset"]
    search_fields = ["label", "hint", "member__user__name"]
    ordering = ["-pk"]
    fields = [
        "workspace",
        "member",
        "label",
        "hint",
        "preset",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    actions = ["revoke"]

    @admin.action(description="Revoke", permissions=["view"])
    def revoke(self, request: HttpRequest, rows: QuerySet[Token]) -> HttpResponse | None:
        page = self.ask_first(request, rows, action="revoke", does="Revoke them; programs that use them are shut out.")
        if page is None:
            self.each(request, rows, _revoke, done="Revoked", stops=True)
        return page


def _revoke(caller: Caller, token: Token) -> None:
    revoke_token(caller, token=token)


@admin.register(Actor)
class ActorAdmin(MachineRowAdmin):
    list_display = ["name", "kind", "workspace"]
    list_select_related = ["workspace"]
    list_filter = ["kind"]
    search_fields = ["name", "workspace__name"]
    ordering = ["-pk"]
    fields = ["workspace", "kind", "name", "member", "created_at"]


@admin.register(AuditEntry)
class AuditEntryAdmin(MachineRowAdmin):
    list_display = ["created_at", "verb", "actor", "workspace"]
    list_select_related = ["actor", "workspace"]
    list_filter = ["verb"]
    search_fields = ["verb", "actor__name"]
    ordering = ["-id"]
    fields = ["created_at", "workspace", "actor", "verb", "data"]


@admin.register(SealedSecret)
class SealedSecretAdmin(MachineRowAdmin):
    list_display = ["purpose", "workspace", "created_at", "destroyed_at"]
    list_select_related = ["workspace"]
    list_filter = ["purpose"]
    search_fields = ["workspace__name"]
    ordering = ["-pk"]
    fields = ["workspace", "purpose", "created_at", "destroyed_at"]


@admin.register(SecretDrop)
class SecretDropAdmin(MachineRowAdmin):
    list_display = ["kind", "purpose", "state", "env_var", "workspace", "created_at", "expires_at"]
    list_select_related = ["workspace"]
    list_filter = ["state", "purpose"]
    search_fields = ["kind", "env_var"]
    ordering = ["-pk"]
    fields = ["workspace", "member", "token", "kind", "purpose", "env_var", "state", "created_at", "expires_at"]


@admin.register(RequestRecord)
class RequestRecordAdmin(MachineRowAdmin):
    list_display = ["request_id", "state", "status", "workspace", "created_at"]
    list_select_related = ["workspace"]
    list_filter = ["state"]
    search_fields = ["request_id"]
    ordering = ["-id"]
    fields = ["workspace", "subject", "request_id", "state", "status", "created_at"]


@admin.register(SignInLink)
class SignInLinkAdmin(MachineRowAdmin):
    workspace_path = "user__memberships__workspace"
    is_shared = True
    list_display = ["user", "created_at", "expires_at", "used_at"]
    list_select_related = ["user"]
    search_fields = ["user__email", "user__name"]
    ordering = ["-pk"]
    fields = ["user", "created_at", "expires_at", "used_at"]


admin.site.register(StorageUse, StorageUseAdmin)
