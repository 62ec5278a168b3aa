"""The admin's ground rules: operators see every workspace, owners only their own.

Definitions change through services, with a caller; rows that the machine writes can only be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from workspaces.access import require_capability
from workspaces.admin_access import (
    acting_caller,
    is_operator,
    may_act,
    open_workspaces,
    owned_ids,
    stopping_caller,
)
from workspaces.caller import Caller
from workspaces.input_form import refusal_text
from workspaces.models import Workspace

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin

MOST_OFFERED = 50
OFFERED = ("", "__exact", "__isnull")  # how the links of Django's filters ask for a field


class WorkspaceFilter(admin.SimpleListFilter):
    """Offers the workspaces that the person sees, while they are few enough to choose from."""

    title = "workspace"
    parameter_name = "workspace"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        seen = open_workspaces(request).order_by("name", "pk").values_list("pk", "name")[: MOST_OFFERED + 1]
        offered = [(str(pk), name) for pk, name in seen]
        if len(offered) > MOST_OFFERED or len(offered) < 2:
            offered = []
        chosen = self.value()
        if chosen and chosen not in dict(offered):
            named = open_workspaces(request).filter(pk=ids.parse_id(chosen)).values_list("name", flat=True).first()
            offered.append((chosen, named or "another"))
        self.path = model_admin.workspace_path
        return offered

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        # Of those that are seen: a person of two workspaces would else tell an owner of one who is in the other.
        chosen = open_workspaces(request).filter(pk=ids.parse_id(self.value()))
        return queryset.filter(**{f"{self.path}__in": chosen})


class ValuesFilter(admin.AllValuesFieldListFilter):
    """Offers what stands in the rows, such as codes; an empty text would be a link without a name."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        return (choice for choice in super().choices(changelist) if str(choice["display"]))


class OwnedAdmin(ModelAdmin):
    """Rows that reach their workspace through ``workspace_path``. Nothing is added or deleted by default.

    ``is_shared`` says that a row may be of several workspaces, ``needs`` which capabilities a change of it takes.
    """

    workspace_path = "workspace"
    is_shared = False
    needs: ClassVar[tuple[str, ...]] = ()
    actions_on_top = True
    list_per_page = 50
    list_max_show_all = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if is_operator(request):
            return rows
        rows = rows.filter(**{f"{self.workspace_path}__in": owned_ids(request)})
        return rows.distinct() if self.is_shared else rows

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        offers = [] if self.workspace_path == "pk" else [WorkspaceFilter]
        return [*offers, *self.list_filter]

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Take only the filters that the page offers: any other field could be read letter by letter, and a pattern
        that the database cannot read would be an error of ours."""
        named = [one[0] if isinstance(one, tuple) else one for one in self.list_filter]
        fields = [name for name in named if isinstance(name, str)]
        own = {WorkspaceFilter.parameter_name, *(getattr(one, "parameter_name", "") for one in self.list_filter)}
        is_offered = lookup in own or lookup in {f"{name}{how}" for name in fields for how in OFFERED}
        return is_offered and not any("\x00" in part for part in value)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_operator(request) or bool(owned_ids(request))

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Members of the row's workspace; what their role does not allow, the service refuses."""
        return self.has_module_permission(request) and (obj is None or may_act(request, self.workspace_of(obj)))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def workspace_of(self, row: Any) -> Workspace:
        if isinstance(row, Workspace):
            return row
        found = reduce(getattr, self.workspace_path.split("__"), row)
        assert isinstance(found, Workspace)
        return found

    def caller(self, request: HttpRequest, row: Any) -> Caller:
        """Return as whom the signed-in person changes a row; refused where another door would refuse it."""
        caller = acting_caller(request, self.workspace_of(row))
        require_capability(caller, *self.needs)
        return caller

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        form.refused = getattr(request, "refused", None)  # type: ignore[attr-defined]
        return form

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the form again with what a service refuses; the transaction it was refused in is rolled back."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except Refused as refused:
            request.refused = refused  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Call the services with ``form.given``; ``obj`` is the row as it was."""
        raise NotImplementedError

    def each(
        self,
        request: HttpRequest,
        rows: QuerySet[Any],
        act: Callable[[Caller, Any], object],
        *,
        done: str,
        stops: bool = False,
    ) -> None:
        """Do one thing to every chosen row, each by itself, and say how often it was done and why not.

        ``stops`` says that it ends or holds something, which operators may do everywhere.
        """
        if self.workspace_path != "pk":
            rows = rows.select_related(self.workspace_path)
        count = 0
        for row in rows:
            try:
                act(stopping_caller(request, self.workspace_of(row)) if stops else self.caller(request, row), row)
            except Refused as refused:
                self.message_user(request, f"{row}: {refusal_text(refused)}", messages.ERROR)
            else:
                count += 1
        if count:
            self.message_user(request, f"{done}: {count}.", messages.SUCCESS)

    def ask_first(self, request: HttpRequest, rows: QuerySet[Any], *, action: str, does: str) -> HttpResponse | None:
        """Return the page that asks before something that cannot be taken back; None once it was answered."""
        if request.POST.get("confirmed") == "yes":
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": "Are you sure?",
            "opts": self.opts,
            "action": action,
            "does": does,
            "rows": rows,
            "is_all": request.POST.get("select_across", "0"),
        }
        return TemplateResponse(request, "admin/confirm_action.html", context)


class MachineRowAdmin(OwnedAdmin):
    """Rows that only services write."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
