"""The admin of people, rights and credentials. Digests and sealed values have no field here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.forms import AdminUserCreationForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from workspaces import capabilities
from workspaces.inputs import InviteIn
from workspaces.models import (
    Actor,
    AuditEntry,
    Invite,
    Member,
    RequestRecord,
    SealedSecret,
    SecretDrop,
    SignInLink,
    Token,
    User,
    Workspace,
)
from workspaces.owned_admin import (
    MachineRowAdmin,
    OwnedAdmin,
    admin_caller,
    is_operator,
    owned_workspaces,
    refusal_text,
)
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch, resume_dispatch
from workspaces.services.invites import invite_member, revoke_invite
from workspaces.services.members import add_member, change_role, remove_member
from workspaces.services.sign_in_links import make_link
from workspaces.services.tokens import revoke_token
from workspaces.services.users import rename_user, set_active
from workspaces.services.workspaces import rename_workspace

if TYPE_CHECKING:
    WorkspaceModelForm = forms.ModelForm[Workspace]
    InviteModelForm = forms.ModelForm[Invite]
else:
    WorkspaceModelForm = InviteModelForm = forms.ModelForm


class WorkspaceForm(WorkspaceModelForm):
    capabilities = forms.MultipleChoiceField(
        choices=list(capabilities.TEXTS.items()), widget=forms.CheckboxSelectMultiple, required=False
    )

    class Meta:
        model = Workspace
        fields = ["name", "capabilities", "dispatch_paused", "dispatch_reason"]


@admin.register(Workspace)
class WorkspaceAdmin(OwnedAdmin):
    workspace_path = "pk"
    form = WorkspaceForm
    list_display = ["name", "dispatch_paused", "created_at"]
    search_fields = ["name"]

    def save_model(self, request: HttpRequest, obj: Workspace, form: WorkspaceForm, change: bool) -> None:
        before = Workspace.objects.get(pk=obj.pk)
        caller = admin_caller(request, before)
        if obj.name != before.name:
            rename_workspace(caller, name=obj.name)
        for name in sorted(set(obj.capabilities) ^ set(before.capabilities)):
            switch_capability(caller, name=name, is_on=name in obj.capabilities)
        if obj.dispatch_paused and not before.dispatch_paused:
            pause_dispatch(caller, reason=obj.dispatch_reason)
        if before.dispatch_paused and not obj.dispatch_paused:
            resume_dispatch(caller)


@admin.register(Member)
class MemberAdmin(OwnedAdmin):
    list_display = ["user", "workspace", "role", "removed_at"]
    list_select_related = ["user", "workspace"]
    list_filter = ["role"]
    search_fields = ["user__name", "user__email"]
    fields = ["workspace", "user", "role", "removed_at"]
    actions = ["remove"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return ["workspace", "user", "removed_at"] if obj else ["removed_at"]

    def save_model(self, request: HttpRequest, obj: Member, form: forms.ModelForm[Member], change: bool) -> None:
        caller = admin_caller(request, obj.workspace)
        if change:
            change_role(caller, member=obj, role=Role(obj.role))
        else:
            obj.pk = add_member(caller, user=obj.user, role=Role(obj.role)).pk

    @admin.action(description="Remove from the workspace")
    def remove(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        for member in rows.select_related("workspace"):
            try:
                remove_member(admin_caller(request, member.workspace), member=member)
            except Refused as refused:
                self.message_user(request, f"{member}: {refusal_text(refused)}", messages.ERROR)


class InviteForm(InviteModelForm):
    """Checks what the service is given with its own input model."""

    class Meta:
        model = Invite
        fields = ["workspace", "email", "role"]

    def clean_email(self) -> str:
        try:
            return parse(InviteIn, {"email": self.cleaned_data["email"], "role": Role.MEMBER.value}).email
        except Refused as refused:
            raise forms.ValidationError(refusal_text(refused)) from None


@admin.register(Invite)
class InviteAdmin(OwnedAdmin):
    """Owners make invites here for now. The link is shown once, after saving."""

    form = InviteForm
    list_display = ["email", "role", "workspace", "invited_by", "expires_at", "accepted_at", "revoked_at"]
    list_select_related = ["workspace", "invited_by__user"]
    search_fields = ["email"]
    ordering = ["-id"]
    actions = ["revoke"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return owned_workspaces(request).exists()

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

    def save_model(self, request: HttpRequest, obj: Invite, form: forms.ModelForm[Invite], change: bool) -> None:
        caller = admin_caller(request, obj.workspace)
        made, path = invite_member(caller, email=obj.email, role=Role(obj.role))
        obj.pk = made.pk
        self.message_user(request, f"Shown only now, for {made.email}: {settings.APP_URL}{path}")

    @admin.action(description="Take back", permissions=["view"])
    def revoke(self, request: HttpRequest, rows: QuerySet[Invite]) -> None:
        for invite in rows.select_related("workspace"):
            try:
                revoke_invite(admin_caller(request, invite.workspace), invite=invite)
            except Refused as refused:
                self.message_user(request, f"{invite}: {refusal_text(refused)}", messages.ERROR)


class UserCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ["email", "name"]

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).strip().lower()


@admin.register(User)
class UserAdmin(OwnedAdmin):
    workspace_path = "memberships__workspace"
    list_display = ["email", "name", "is_active", "is_staff", "last_login"]
    search_fields = ["email", "name"]
    actions = ["show_sign_in_link"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_operator(request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs) if obj else UserCreationForm

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        if obj is None:
            return ["email", "name", "usable_password", "password1", "password2"]
        return ["email", "name", "is_active", "is_staff", "is_superuser", "last_login", "date_joined"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return ["email", "last_login", "date_joined"] if obj else []

    def save_model(self, request: HttpRequest, obj: User, form: forms.ModelForm[User], change: bool) -> None:
        if not change:
            obj.save()
            return
        before = User.objects.get(pk=obj.pk)
        if obj.name != before.name:
            rename_user(obj, obj.name)
        if obj.is_active != before.is_active:
            set_active(obj, is_active=obj.is_active)
        obj.save(update_fields=["is_staff", "is_superuser"])

    @admin.action(description="Show a one-time sign-in link")
    def show_sign_in_link(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        if not is_operator(request):
            self.message_user(request, "Only an operator makes sign-in links.", messages.ERROR)
            return
        for user in rows:
            self.message_user(request, f"{user.email}: {settings.APP_URL}{make_link(user)}")


@admin.register(Token)
class TokenAdmin(MachineRowAdmin):
    list_display = ["label", "hint", "preset", "member", "workspace", "last_used_at", "expires_at", "revoked_at"]
    list_select_related = ["member__user", "workspace"]
    list_filter = ["preset"]
    search_fields = ["label", "hint"]
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

    @admin.action(description="Revoke")
    def revoke(self, request: HttpRequest, rows: QuerySet[Token]) -> None:
        for token in rows.select_related("workspace"):
            try:
                revoke_token(admin_caller(request, token.workspace), token=token)
            except Refused as refused:
                self.message_user(request, f"{token}: {refusal_text(refused)}", messages.ERROR)


@admin.register(Actor)
class ActorAdmin(MachineRowAdmin):
    list_display = ["name", "kind", "workspace"]
    list_select_related = ["workspace"]
    list_filter = ["kind"]
    search_fields = ["name"]
    fields = ["workspace", "kind", "name", "member", "created_at"]


@admin.register(AuditEntry)
class AuditEntryAdmin(MachineRowAdmin):
    list_display = ["created_at", "verb", "actor", "workspace"]
    list_select_related = ["actor", "workspace"]
    list_filter = ["verb"]
    ordering = ["-id"]
    fields = ["created_at", "workspace", "actor", "verb", "data"]


@admin.register(SealedSecret)
class SealedSecretAdmin(MachineRowAdmin):
    list_display = ["purpose", "workspace", "created_at", "destroyed_at"]
    list_select_related = ["workspace"]
    list_filter = ["purpose"]
    fields = ["workspace", "purpose", "created_at", "destroyed_at"]


@admin.register(SecretDrop)
class SecretDropAdmin(MachineRowAdmin):
    list_display = ["kind", "purpose", "state", "env_var", "workspace", "created_at", "expires_at"]
    list_select_related = ["workspace"]
    list_filter = ["state", "purpose"]
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
    list_display = ["user", "created_at", "expires_at", "used_at"]
    list_select_related = ["user"]
    fields = ["user", "created_at", "expires_at", "used_at"]
