"""The admin of how much a workspace stores with us. How much it may is for operators to say, who pay for the room."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest

from workspaces.admin_access import is_operator, stopping_caller
from workspaces.input_form import InputForm
from workspaces.inputs import QuotaIn
from workspaces.models import StorageUse, Workspace
from workspaces.owned_admin import OwnedAdmin
from workspaces.services.room import set_quota


class QuotaForm(InputForm):
    """An empty quota is the setting of the instance."""

    input_model = QuotaIn

    class Meta:
        model = StorageUse
        fields = ["quota_bytes"]


class NewQuotaForm(QuotaForm):
    class Meta:
        model = StorageUse
        fields = ["workspace", "quota_bytes"]


class StorageUseAdmin(OwnedAdmin):
    """A workspace that stored nothing yet has no row: it is added with a quota of its own."""

    form = QuotaForm
    list_display = ["workspace", "bytes", "quota_bytes", "updated_at"]
    list_select_related = ["workspace"]
    search_fields = ["workspace__name"]
    ordering = ["-bytes", "pk"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_operator(request)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return ["workspace", "bytes", "quota_bytes", "updated_at"] if obj else ["workspace", "quota_bytes"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return ["workspace", "bytes", "updated_at"] if obj else []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **(kwargs if obj else {**kwargs, "form": NewQuotaForm}))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "workspace":
            kwargs["queryset"] = Workspace.objects.filter(storage_use__isnull=True).order_by("name", "pk")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: StorageUse, form: InputForm, change: bool) -> None:
        if not change:
            obj.workspace, obj.quota_bytes = form.cleaned_data["workspace"], form.cleaned_data["quota_bytes"]
            obj.pk = set_quota(stopping_caller(request, obj.workspace), quota_bytes=obj.quota_bytes).pk
        elif "quota_bytes" in form.given:
            set_quota(stopping_caller(request, obj.workspace), quota_bytes=form.given["quota_bytes"])
