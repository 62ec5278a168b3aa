"""The admin of agents and accounts, which change through services, and of turns and model calls, to read."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from agents.inputs import CreateAgentDraftIn, EditAiAccountIn
from agents.models import Agent, AgentVersion, AiAccount, AiBinding, Approval, ModelCall, Permit, Turn
from agents.models.turn import OUT
from agents.rules import MOST_TURNS
from agents.services.accounts import edit_account, remove_account
from agents.services.agents import limit_draft, pause_agent, publish_agent, resume_agent, write_draft
from agents.services.caps import set_monthly_cap
from agents.services.turns import ring_again
from agents.states import TurnState
from bakedbrie.lib import once
from bakedbrie.lib.money import MICROS_PER_USD, micros_from_usd
from workspaces.input_form import InputForm
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin, ValuesFilter


class AgentForm(InputForm):
    """Edits the draft; the published version stays until the draft is published."""

    input_model = CreateAgentDraftIn
    instructions = forms.CharField(widget=forms.Textarea, strip=False)
    max_turns = forms.IntegerField(help_text=f"In one round of a card, at most {MOST_TURNS}.")

    class Meta:
        model = Agent
        fields = ["name"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version = self.instance.draft or self.instance.published
        if version is not None:
            self.initial.update(name=version.name, instructions=version.instructions, max_turns=version.max_turns)

    def more(self) -> dict[str, object]:
        return {"board_id": str(self.instance.board_id), "agent_id": str(self.instance.pk)}


@admin.register(Agent)
class AgentAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    needs = ("agents",)
    form = AgentForm
    list_display = ["name", "board", "state", "needs_publish", "created_at"]
    list_select_related = ["board"]
    list_filter = ["state", "needs_publish"]
    search_fields = ["name", "board__name"]
    ordering = ["-id"]
    fields = ["board", "name", "instructions", "max_turns", "state", "revision", "published", "draft", "needs_publish"]
    readonly_fields = ["board", "state", "revision", "published", "draft", "needs_publish"]
    actions = ["publish", "pause", "resume"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        return super().get_queryset(request).select_related("board__workspace", "published", "draft")

    @admin.display
    def instructions(self, agent: Agent) -> str:
        version = agent.draft or agent.published
        return version.instructions if version else ""

    @admin.display
    def max_turns(self, agent: Agent) -> int | None:
        version = agent.draft or agent.published
        return version.max_turns if version else None

    def save_model(self, request: HttpRequest, obj: Agent, form: AgentForm, change: bool) -> None:
        given = dict(form.given)
        max_turns = given.pop("max_turns", None)
        caller = self.caller(request, obj)
        if given:
            write_draft(caller, board=obj.board, agent=obj, **given)
        if max_turns is not None:
            limit_draft(caller, agent=obj, max_turns=max_turns)

    @admin.action(description="Publish the draft")
    def publish(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        self.each(request, rows, lambda caller, agent: publish_agent(caller, agent=agent), done="Published")

    @admin.action(description="Pause", permissions=["view"])
    def pause(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        self.each(
            request,
            rows,
            lambda caller, agent: pause_agent(caller, agent=agent),
            done="Paused",
            stops=True,
        )

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, rows: QuerySet[Agent]) -> None:
        self.each(request, rows, lambda caller, agent: resume_agent(caller, agent=agent), done="Resumed")


class AccountForm(InputForm):
    """The cap is typed in dollars, and kept exactly."""

    input_model = EditAiAccountIn
    monthly_cap_usd = forms.CharField(
        required=False, label="Monthly cap in USD", help_text="In a calendar month (UTC); empty is no cap."
    )

    class Meta:
        model = AiAccount
        fields = ["label", "model", "context_tokens", "answer_tokens"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["monthly_cap_usd"] = cap_in_usd(self.instance)

    def _typed(self, name: str) -> object:
        value = super()._typed(name)
        return None if name == "monthly_cap_usd" and value == "" else value


def cap_in_usd(account: AiAccount) -> str:
    micros = account.monthly_cap_micros
    return "" if micros is None else f"{Decimal(micros) / MICROS_PER_USD:f}"


@admin.register(AiAccount)
class AiAccountAdmin(OwnedAdmin):
    needs = ("ai_accounts",)
    form = AccountForm
    list_display = ["label", "provider", "model", "state", "code", "workspace", "checked_at"]
    list_select_related = ["workspace"]
    list_filter = ["provider", "state"]
    search_fields = ["label", "model", "workspace__name"]
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

    @admin.display(description="monthly cap in USD")
    def monthly_cap_usd(self, account: AiAccount) -> str:
        return cap_in_usd(account)

    def save_model(self, request: HttpRequest, obj: AiAccount, form: AccountForm, change: bool) -> None:
        given = dict(form.given)
        caller = self.caller(request, obj)
        if "monthly_cap_usd" in given:
            cap = given.pop("monthly_cap_usd")
            set_monthly_cap(caller, account=obj, cap_micros=None if cap is None else micros_from_usd(cap))
        if given:
            edit_account(caller, account=obj, **given)

    @admin.action(description="Remove, and destroy the key")
    def remove(self, request: HttpRequest, rows: QuerySet[AiAccount]) -> HttpResponse | None:
        does = "Remove them and destroy their keys. What they pay for waits until another account is bound."
        page = self.ask_first(request, rows, action="remove", does=does)
        if page is None:
            rows = rows.select_related("secret")
            self.each(request, rows, lambda caller, account: remove_account(caller, account=account), done="Removed")
        return page


@admin.register(AgentVersion)
class AgentVersionAdmin(MachineRowAdmin):
    workspace_path = "agent__board__workspace"
    list_display = ["agent", "n", "name", "written_by", "published_at"]
    list_select_related = ["agent", "written_by"]
    search_fields = ["name", "agent__name"]
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
    search_fields = ["account__label", "board__name", "agent__name"]
    ordering = ["-pk"]
    fields = ["workspace", "scope", "board", "agent", "account", "created_at", "updated_at"]


class AnswerFilter(admin.SimpleListFilter):
    """Which turns still hold their card, and what for."""

    title = "open"
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("out", "Sent, no answer yet"), ("ended", "Ended, card not moved on"), ("any", "Holds its card")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Turn]) -> QuerySet[Turn]:
        chosen = self.value()
        if chosen is None:
            return queryset
        states = {"out": OUT, "ended": [state.value for state in once.SETTLED]}.get(chosen, list(TurnState))
        return queryset.filter(finished_at__isnull=True, state__in=states)


@admin.register(Turn)
class TurnAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "card", "agent", "state", "reason", "code", "sent_at", "settled_at", "finished_at"]
    list_select_related = ["card", "agent"]
    list_filter = [AnswerFilter, "state", ("code", ValuesFilter)]
    search_fields = ["card__title", "agent__name", "code"]
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
    list_display = ["sent_at", "turn", "model", "http_status", "input_tokens", "output_tokens", "cost_micros"]
    list_select_related = ["turn"]
    list_filter = ["provider", "http_status"]
    search_fields = ["model", "provider_request_id", "turn__card__title"]
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


@admin.register(Approval)
class ApprovalAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "card", "agent", "area", "state", "answer", "answered_by", "expires_at"]
    list_select_related = ["card", "agent", "answered_by"]
    list_filter = ["state", "area"]
    search_fields = ["card__title", "agent__name"]
    ordering = ["-id"]
    fields = [
        "card",
        "turn",
        "agent",
        "area",
        "target",
        "shown",
        "input_hash",
        "state",
        "answer",
        "answered_by",
        "answered_at",
        "expires_at",
    ]


@admin.register(Permit)
class PermitAdmin(MachineRowAdmin):
    workspace_path = "agent__board__workspace"
    list_display = ["created_at", "agent", "area", "card", "given_by"]
    list_select_related = ["agent", "card", "given_by"]
    list_filter = ["area"]
    search_fields = ["agent__name", "card__title"]
    ordering = ["-id"]
    fields = ["agent", "area", "target", "card", "given_by"]
