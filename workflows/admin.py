"""The admin of rules, which are turned on and off through their services, and of their runs, to read."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from bakedbrie.lib.refusals import Refused
from workflows.models import Rule, RuleDraft, RuleRun
from workflows.services.rules import pause_rule, publish_rule
from workspaces.caller import Caller
from workspaces.owned_admin import MachineRowAdmin, admin_caller, refusal_text


@admin.register(Rule)
class RuleAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["board", "from_stage", "agent", "to_stage", "state", "version", "last_error", "last_error_at"]
    list_select_related = ["board", "from_stage", "agent", "to_stage"]
    list_filter = ["state"]
    search_fields = ["board__name", "agent__name"]
    ordering = ["board", "id"]
    actions = ["publish", "pause"]

    @admin.action(description="Publish the chosen rules", permissions=["view"])
    def publish(self, request: HttpRequest, queryset: QuerySet[Rule]) -> None:
        self._each(request, queryset, lambda caller, rule: publish_rule(caller, rule=rule))

    @admin.action(description="Pause the chosen rules", permissions=["view"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Rule]) -> None:
        self._each(request, queryset, lambda caller, rule: pause_rule(caller, rule=rule))

    def _each(self, request: HttpRequest, rules: QuerySet[Rule], change: Callable[[Caller, Rule], object]) -> None:
        for rule in rules.select_related("board__workspace"):
            try:
                change(admin_caller(request, rule.board.workspace), rule)
            except Refused as refused:
                self.message_user(request, f"{rule.board}: {refusal_text(refused)}", messages.ERROR)


@admin.register(RuleDraft)
class RuleDraftAdmin(MachineRowAdmin):
    workspace_path = "rule__board__workspace"
    list_display = ["rule", "from_stage", "agent", "to_stage"]
    list_select_related = ["rule__board", "from_stage", "agent", "to_stage"]


@admin.register(RuleRun)
class RuleRunAdmin(MachineRowAdmin):
    workspace_path = "rule__board__workspace"
    list_display = ["created_at", "turn", "rule", "version", "to_stage"]
    list_select_related = ["turn", "rule__board", "to_stage"]
    ordering = ["-id"]
