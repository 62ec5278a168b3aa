"""The admin of agents and accounts, which change through services, and of turns and model calls, to read."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from agents.inputs import MOST_INSTRUCTIONS, CreateAgentDraftIn
from agents.models import Agent, AgentVersion, AiAccount, AiBinding, ModelCall, Turn
from agents.rules import MOST_TURNS
from agents.services.accounts import edit_account, remove_account
from agents.services.agents import limit_draft, pause_agent, resume_agent, write_draft
from agents.services.caps import set_monthly_cap
from agents.services.turns import ring_again
from bakedbrie.lib.money import MICROS_PER_USD, micros_from_usd
from bakedbrie.lib.refusals import Refused
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin, admin_caller, changed, refusal_text

if TYPE_CHECKING:
    AgentModelForm = forms.ModelForm[Agent]
    AccountModelForm = forms.ModelForm[AiAccount]
else:
    AgentModelForm = AccountModelForm = forms.ModelForm


class AgentForm(AgentModelForm):
    """Edits the draft; the published version stays until the draft is published."""

    instructions = forms.CharField(widget=forms.Textarea, max_length=MOST_INSTRUCTIONS)
    max_turns = forms.IntegerField(min_value=1, max_value=MOST_TURNS, help_text="In one round of a card.")

    class Meta:
        model = Agent
        fields = ["name"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version = self.instance.draft or self.instance.published
        if version is not None:
            self.initial.update(name=version.name, instructions=version.instructions, max_turns=version.max_turns)


@admin.register(Agent)
class AgentAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    form = AgentForm
    list_display = ["name", "board", "state", "needs_publish", "created_at"]
    list_select_related = ["board"]
    list_filter = ["state"]
    search_fields = ["name", "board__name"]
    ordering = ["-id"]
    fields = ["board", "name", "instructions", "max_turns", "state", "revision", "published", "draft", "needs_publish"]
    readonly_fields = ["board", "state", "revision", "published", "draft", "needs_publish"]
    actions = ["pause", "resume"]

    def save_model(self, request: HttpRequest, obj: Agent, form: forms.ModelForm[Agent], change: bool) -> None:
        given = changed(form, CreateAgentDraftIn, board_id=str(obj.board_id), agent_id=str(obj.pk))
        max_turns = given.pop("max_turns", None)
        agent = Agent.objects.select_related("board__workspace").get(pk=obj.pk)
        caller = admin_caller(request, agent.board.workspace)
        if given:
            write_draft(caller, board=agent.board, agent=agent, **given)
        if max_turns is not None:
            limit_draft(caller, agent=agent, max_turns=max_turns)

    @admin.action(description="Pause")
    def pause(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        for agent in rows.select_related("board__workspace"):
            try:
                pause_agent(admin_caller(request, agent.board.workspace), agent=agent)
            except Refused as refused:
                self.message_user(request, f"{agent}: {refusal_text(refused)}", messages.ERROR)

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        for agent in rows.select_related("board__workspace"):
            try:
                resume_agent(admin_caller(request, agent.board.workspace), agent=agent)
            except Refused as refused:
                self.message_user(request, f"{agent}: {refusal_text(refused)}", messages.ERROR)


class AccountForm(AccountModelForm):
    """The cap is typed in dollars, and kept exactly."""

    monthly_cap_usd = forms.DecimalField(
        required=False, min_value=Decimal(0), max_digits=18, decimal_places=6, help_text="A calendar month (UTC)."
    )

    class Meta:
        model = AiAccount
        fields = ["label", "model", "context_tokens", "answer_tokens"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.monthly_cap_micros is not None:
            self.initial["monthly_cap_usd"] = Decimal(self.instance.monthly_cap_micros) / MICROS_PER_USD


@admin.register(AiAccount)
class AiAccountAdmin(OwnedAdmin):
    form = AccountForm
    list_display = ["label", "provider", "model", "state", "code", "workspace", "checked_at"]
    list_select_related = ["workspace"]
    list_filter = ["provider", "state"]
    search_fields = ["label", "model"]
    ordering = ["-id"]
    fields = [
        "workspace",
        "label",
        "kind",
        "provider",
        "base_url",
        "model",
        "context_tokens",
        "answer_tokens",
        "monthly_cap_usd",
        "state",
        "code",
        "checked_at",
        "added_by",
    ]
    readonly_fields = ["workspace", "kind", "provider", "base_url", "state", "code", "checked_at", "added_by"]
    actions = ["remove"]

    def save_model(self, request: HttpRequest, obj: AiAccount, form: forms.ModelForm[AiAccount], change: bool) -> None:
        given = {field: form.cleaned_data[field] for field in form.changed_data}
        caller = admin_caller(request, obj.workspace)
        if "monthly_cap_usd" in given:
            cap = given.pop("monthly_cap_usd")
            set_monthly_cap(caller, account=obj, cap_micros=None if cap is None else micros_from_usd(cap))
        edit_account(caller, account=obj, **given)

    @admin.action(description="Remove, and destroy the key")
    def remove(self, request: HttpRequest, rows: QuerySet[AiAccount]) -> None:
        for account in rows.select_related("workspace", "secret"):
            try:
                remove_account(admin_caller(request, account.workspace), account=account)
            except Refused as refused:
                self.message_user(request, f"{account}: {refusal_text(refused)}", messages.ERROR)


@admin.register(AgentVersion)
class AgentVersionAdmin(MachineRowAdmin):
    workspace_path = "agent__board__workspace"
    list_display = ["agent", "n", "name", "written_by", "published_at"]
    list_select_related = ["agent", "written_by"]
    ordering = ["-id"]
    fields = [
        "agent",
        "n",
        "name",
        "instructions",
        "permissions",
        "max_turns",
        "written_by",
        "created_at",
        "published_at",
    ]


@admin.register(AiBinding)
class AiBindingAdmin(MachineRowAdmin):
    list_display = ["scope", "board", "agent", "account", "workspace"]
    list_select_related = ["board", "agent", "account", "workspace"]
    list_filter = ["scope"]
    fields = ["workspace", "scope", "board", "agent", "account", "created_at", "updated_at"]


@admin.register(Turn)
class TurnAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "card", "agent", "state", "reason", "code", "sent_at", "settled_at", "finished_at"]
    list_select_related = ["card", "agent"]
    list_filter = ["state", "code"]
    ordering = ["-id"]
    fields = [
        "card",
        "iteration",
        "agent",
        "version",
        "account",
        "state",
        "reason",
        "code",
        "message",
        "notes",
        "attempt",
        "sent_at",
        "lease_until",
        "settled_at",
        "finished_at",
        "rings",
        "prompt_sha256",
        "prompt",
        "reply",
    ]
    actions = ["ring"]

    @admin.action(description="Ring again", permissions=["view"])
    def ring(self, request: HttpRequest, rows: QuerySet[Turn]) -> None:
        jobs = [ring_again(turn) for turn in rows.select_related("agent__actor")]
        rung = sum(job is not None for job in jobs)
        self.message_user(request, f"Rang for {rung} of {len(jobs)} turns; the others are over or await their answer.")


@admin.register(ModelCall)
class ModelCallAdmin(MachineRowAdmin):
    workspace_path = "turn__card__board__workspace"
    list_display = ["sent_at", "provider", "model", "http_status", "input_tokens", "output_tokens", "cost_micros"]
    list_filter = ["provider"]
    ordering = ["-id"]
    fields = [
        "turn",
        "n",
        "attempt",
        "provider",
        "model",
        "sent_at",
        "answered_at",
        "http_status",
        "provider_request_id",
        "stop_reason",
        "input_tokens",
        "output_tokens",
        "cost_micros",
        "most_micros",
    ]
