"""The admin of rules, which change through their services, and of their runs, to read."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from agents.models import Agent
from boards.models import Stage
from workflows.models import BoardSetup, Rule, RuleDraft, RuleRun
from workflows.services.rules import Then, pause_rule, publish_rule, write_rule_draft
from workflows.states import OnApproval, RuleReview
from workspaces.input_form import InputForm
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin


class RuleForm(InputForm):
    """Edits the draft, with columns and agents of the rule's board; what is published goes on until then."""

    is_one_change = True

    class Meta:
        model = Rule
        fields = ["from_stage", "agent", "to_stage", "review", "on_approval"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        draft = RuleDraft.objects.filter(rule=self.instance).first()
        for name, field in self.fields.items():
            if isinstance(field, forms.ModelChoiceField):
                model = Agent if name == "agent" else Stage
                field.queryset = model._default_manager.filter(board=self.instance.board_id)
            if draft is not None:
                self.initial[name] = draft.serializable_value(name)


@admin.register(Rule)
class RuleAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    needs = ("triggers",)
    form = RuleForm
    list_display = ["board", "from_stage", "agent", "to_stage", "state", "version", "last_error", "last_error_at"]
    list_select_related = ["board", "from_stage", "agent", "to_stage"]
    list_filter = ["state"]
    search_fields = ["board__name", "agent__name"]
    ordering = ["board", "id"]
    fields = [
        *("board", "from_stage", "agent", "to_stage", "review", "on_approval"),
        *("state", "version", "revision", "last_error", "last_error_at"),
    ]
    readonly_fields = ["board", "state", "version", "revision", "last_error", "last_error_at"]
    actions = ["publish", "pause"]

    def save_model(self, request: HttpRequest, obj: Rule, form: RuleForm, change: bool) -> None:
        if form.given:
            parts = {name: form.cleaned_data[name] for name in ("from_stage", "agent", "to_stage")}
            review, on_approval = form.given.get("review"), form.given.get("on_approval")
            then = Then(
                review=RuleReview(review) if review else None,
                on_approval=OnApproval(on_approval) if on_approval else None,
            )
            write_rule_draft(self.caller(request, obj), board=obj.board, rule=obj, then=then, **parts)

    @admin.action(description="Publish")
    def publish(self, request: HttpRequest, rows: QuerySet[Rule]) -> None:
        self.each(request, rows, lambda caller, rule: publish_rule(caller, rule=rule), done="Published")

    @admin.action(description="Pause", permissions=["view"])
    def pause(self, request: HttpRequest, rows: QuerySet[Rule]) -> None:
        self.each(request, rows, lambda caller, rule: pause_rule(caller, rule=rule), done="Paused", stops=True)


@admin.register(RuleDraft)
class RuleDraftAdmin(MachineRowAdmin):
    workspace_path = "rule__board__workspace"
    list_display = ["rule", "from_stage", "agent", "to_stage"]
    list_select_related = [
        "rule__from_stage",
        "rule__agent",
        "rule__to_stage",
        "from_stage",
        "agent",
        "to_stage",
    ]
    search_fields = ["rule__board__name", "agent__name"]
    ordering = ["-id"]


@admin.register(RuleRun)
class RuleRunAdmin(MachineRowAdmin):
    workspace_path = "rule__board__workspace"
    list_display = ["created_at", "turn", "rule", "version", "to_stage"]
    list_select_related = ["turn", "rule__from_stage", "rule__agent", "rule__to_stage", "to_stage"]
    search_fields = ["rule__board__name", "rule__agent__name", "turn__card__title"]
    ordering = ["-id"]


@admin.register(BoardSetup)
class BoardSetupAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["created_at", "board", "made_by"]
    list_select_related = ["board", "made_by"]
    search_fields = ["board__name", "made_by__name"]
    ordering = ["-pk"]
    fields = ["board", "made_by", "created_at"]
