"""Read shapes of agents and accounts: what REST, MCP and pages show. No key has a field here."""

from __future__ import annotations

from rest_framework import serializers

from agents.models import Agent, AgentVersion, AiAccount, AiBinding, Approval, Permit
from agents.rules import idle_areas
from agents.selectors import trouble_of


class AgentVersionSerializer(serializers.Serializer[AgentVersion]):
    id = serializers.UUIDField()
    n = serializers.IntegerField()
    name = serializers.CharField()
    instructions = serializers.CharField()
    permissions = serializers.DictField(child=serializers.CharField())
    max_turns = serializers.IntegerField()
    counts_as_off = serializers.SerializerMethodField(help_text="Areas that are not off and have no effect yet.")
    published_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()

    def get_counts_as_off(self, version: AgentVersion) -> list[str]:
        return idle_areas(version.permissions)


class AgentSerializer(serializers.Serializer[Agent]):
    id = serializers.UUIDField()
    board_id = serializers.UUIDField()
    actor_id = serializers.UUIDField()
    name = serializers.CharField()
    state = serializers.CharField()
    revision = serializers.IntegerField()
    needs_publish = serializers.BooleanField()
    published = AgentVersionSerializer(allow_null=True)
    draft = AgentVersionSerializer(allow_null=True)
    created_at = serializers.DateTimeField()


class AiBindingSerializer(serializers.Serializer[AiBinding]):
    scope = serializers.CharField()
    board_id = serializers.UUIDField(allow_null=True)
    agent_id = serializers.UUIDField(allow_null=True)


class AiAccountSerializer(serializers.Serializer[AiAccount]):
    """``trouble`` is empty while the account can run cards, else the code of what is in the way."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF takes declared fields off the class
    kind = serializers.CharField()
    provider = serializers.CharField()
    base_url = serializers.CharField()
    model = serializers.CharField()
    context_tokens = serializers.IntegerField()
    answer_tokens = serializers.IntegerField()
    monthly_cap_micros = serializers.IntegerField(
        allow_null=True, help_text="The most its calls may cost in a month (UTC); null: no bound."
    )
    state = serializers.CharField()
    trouble = serializers.SerializerMethodField()
    checked_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()

    def get_trouble(self, account: AiAccount) -> str:
        return trouble_of(account, account.workspace)


class BoundAiAccountSerializer(AiAccountSerializer):
    """With what it pays for; the bindings and the sum come with `agents.selectors.accounts_with_spending`."""

    bindings = AiBindingSerializer(many=True)
    spent_micros = serializers.IntegerField(
        allow_null=True, help_text="This month (UTC), where there is a cap; an unknown cost counts at its most."
    )


class ApprovalSerializer(serializers.Serializer[Approval]):
    """``shown`` names what the answer covers, ``input_hash`` is over exactly that; an open question is told as it is
    now."""

    id = serializers.UUIDField()
    board_id = serializers.UUIDField(source="card.board_id")
    card_id = serializers.UUIDField()
    card_title = serializers.CharField(source="card.title")
    turn_id = serializers.UUIDField()
    agent_id = serializers.UUIDField()
    agent_name = serializers.CharField(source="agent.name")
    area = serializers.CharField()
    target = serializers.UUIDField(help_text="Who gets it: the AI account that would read the files.")
    shown = serializers.JSONField()
    input_hash = serializers.CharField()
    state = serializers.CharField()
    answer = serializers.CharField()
    answered_by = serializers.CharField(source="answered_by.name", allow_null=True, default=None)
    answered_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class PermitSerializer(serializers.Serializer[Permit]):
    id = serializers.UUIDField()
    agent_id = serializers.UUIDField()
    area = serializers.CharField()
    target = serializers.UUIDField()
    card_id = serializers.UUIDField(allow_null=True, help_text="The one card it stands for; null: every card.")
    given_by = serializers.CharField(source="given_by.name")
    created_at = serializers.DateTimeField()
