"""What this app shows of its rows, to tools and REST alike."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agents.models import Agent, Approval, ModelCall, Turn
from agents.selectors import Transcript, transcript_of
from bakedbrie.lib.money import show_usd
from boards.contents import Content
from boards.models import BoardEvent, Stage
from boards.serializers import EventSerializer
from reviews.models import WorkFolder
from reviews.serializers import DecisionSerializer, FolderDestinationSerializer, ReviewerSerializer
from workflows.selectors.asks import address_of, question_in_words
from workflows.selectors.boards import RuledColumn
from workflows.selectors.shown_reviews import ShownReview
from workflows.selectors.story import sentence_of
from workflows.selectors.triggers import Trigger
from workflows.services.approvals import as_it_is_now
from workspaces.serializers import ActorSerializer

WRITTEN_CHARACTERS = 20_000


class _StageNameSerializer(serializers.Serializer[Stage]):
    id = serializers.UUIDField()
    name = serializers.CharField()


class _AgentNameSerializer(serializers.Serializer[Agent]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    state = serializers.CharField()


class _RulePartsSerializer(serializers.Serializer[Any]):
    from_stage = _StageNameSerializer()
    agent = _AgentNameSerializer()
    to_stage = _StageNameSerializer(allow_null=True)
    review = serializers.CharField()
    on_approval = serializers.CharField()


class RuleDraftSerializer(_RulePartsSerializer):
    pass


class RuleSerializer(_RulePartsSerializer):
    """A rule whose target column was deleted shows as paused, with ``why_paused`` STAGE_GONE."""

    id = serializers.UUIDField()
    board_id = serializers.UUIDField()
    state = serializers.CharField(source="shown_state")
    why_paused = serializers.CharField()
    version = serializers.IntegerField()
    revision = serializers.IntegerField()
    last_error = serializers.CharField()
    last_error_at = serializers.DateTimeField(allow_null=True)
    draft = RuleDraftSerializer(allow_null=True, default=None)


class TriggerSerializer(RuleSerializer):
    """R014. A rule has no next run: it starts when a card enters its column."""

    kind = serializers.CharField()
    next_run_at = serializers.DateTimeField(allow_null=True)
    backlog = serializers.IntegerField(help_text="How many cards wait for it.")

    def to_representation(self, trigger: Trigger) -> dict[str, Any]:
        own = {"kind": "rule", "next_run_at": None, "backlog": trigger.backlog}
        return {**own, **RuleSerializer(trigger.rule).data}


class AgentLineSerializer(_AgentNameSerializer):
    """An agent as read_board lists it; ``version`` is the published one."""

    version = serializers.IntegerField(source="published.n", allow_null=True, default=None)
    has_draft = serializers.SerializerMethodField()
    needs_publish = serializers.BooleanField()

    def get_has_draft(self, agent: Agent) -> bool:
        return agent.draft_id is not None


class RuledColumnSerializer(serializers.Serializer[RuledColumn]):
    id = serializers.UUIDField(source="stage.id")
    name = serializers.CharField(source="stage.name")
    role = serializers.CharField(source="stage.role")
    cards = serializers.IntegerField(source="total")
    rule_id = serializers.UUIDField(source="rule.id", allow_null=True, default=None)


class BoardFolderSerializer(serializers.Serializer[WorkFolder]):
    """A work folder that counts, in few words."""

    storage = serializers.CharField(help_text="s3 or hosted.")
    destination = FolderDestinationSerializer(allow_null=True, help_text="The bucket, of a folder of storage s3.")
    reviewer = ReviewerSerializer(allow_null=True, help_text="Null: whoever opens the board decides.")
    inbox = serializers.CharField()


class ModelCallSerializer(serializers.Serializer[ModelCall]):
    n = serializers.IntegerField()
    provider = serializers.CharField()
    model = serializers.CharField()
    sent_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)
    http_status = serializers.IntegerField(allow_null=True)
    provider_request_id = serializers.CharField()
    stop_reason = serializers.CharField()
    input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    cost_micros = serializers.IntegerField(allow_null=True)


class TurnSerializer(serializers.Serializer[Turn]):
    """Tokens and cost are of all calls of the turn; null where one of them is not known."""

    id = serializers.UUIDField()
    card_id = serializers.UUIDField()
    round = serializers.IntegerField(source="iteration.n")
    agent_id = serializers.UUIDField()
    agent = serializers.CharField(source="version.name")
    agent_version = serializers.IntegerField(source="version.n")
    ai_account_id = serializers.UUIDField(source="account_id", allow_null=True)
    state = serializers.CharField()
    reason = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()
    holds_card = serializers.SerializerMethodField()
    input_tokens = serializers.SerializerMethodField()
    output_tokens = serializers.SerializerMethodField()
    cost_micros = serializers.SerializerMethodField()
    cost = serializers.SerializerMethodField()
    queued_at = serializers.DateTimeField(source="created_at")
    sent_at = serializers.DateTimeField(allow_null=True)
    settled_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_holds_card(self, turn: Turn) -> bool:
        return turn.finished_at is None

    def get_input_tokens(self, turn: Turn) -> int | None:
        return total_of(turn, "input_tokens")

    def get_output_tokens(self, turn: Turn) -> int | None:
        return total_of(turn, "output_tokens")

    def get_cost_micros(self, turn: Turn) -> int | None:
        return total_of(turn, "cost_micros")

    def get_cost(self, turn: Turn) -> str | None:
        micros = total_of(turn, "cost_micros")
        return None if micros is None else show_usd(micros)


class AskLineSerializer(serializers.Serializer[Approval]):
    """A question that a person answers at ``url``; no tool answers it."""

    approval_id = serializers.UUIDField(source="pk")
    turn_id = serializers.UUIDField()
    card_id = serializers.UUIDField()
    area = serializers.CharField()
    question = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField(help_text="The page on which a person answers.")
    asked_at = serializers.DateTimeField(source="created_at")
    expires_at = serializers.DateTimeField()

    def get_question(self, approval: Approval) -> str:
        return question_in_words(approval)

    def get_url(self, approval: Approval) -> str:
        return address_of("approvals", approval.pk)


class AskSerializer(AskLineSerializer):
    """With what the answer would cover now."""

    shown = serializers.JSONField()

    def to_representation(self, approval: Approval) -> dict[str, Any]:
        return super().to_representation(as_it_is_now(approval))


class WrittenSerializer(serializers.Serializer[Transcript]):
    """The end of what a model wrote; ``is_cut`` when its beginning is left out."""

    text = serializers.CharField()
    is_cut = serializers.BooleanField()


class TranscriptSerializer(TurnSerializer):
    """A turn with what it was asked and what it answered, as far as that is kept.

    ``written`` is what came so far, while it runs and where nothing was kept as its reply; else null.
    """

    prompt = serializers.JSONField()
    prompt_sha256 = serializers.CharField()
    reply = serializers.CharField()
    notes = serializers.JSONField(help_text="LATE_ANSWER: the reply came too late to be used.")
    asks = AskSerializer(many=True, help_text="What waits for a person's answer on this turn.")
    written = serializers.SerializerMethodField()
    calls = ModelCallSerializer(source="model_calls", many=True)

    @extend_schema_field(WrittenSerializer(allow_null=True))
    def get_written(self, turn: Turn) -> dict[str, Any] | None:
        written = transcript_of(turn, characters=WRITTEN_CHARACTERS)
        return WrittenSerializer(written).data if written else None


class StorySerializer(EventSerializer):
    """An event with its sentence."""

    text = serializers.SerializerMethodField()

    def get_text(self, event: BoardEvent) -> str:
        return sentence_of(event)


def total_of(turn: Turn, field: str) -> int | None:
    """Return the sum over the turn's calls, nought where there was none; None where one is not known."""
    total = 0
    for call in turn.model_calls.all():
        value: int | None = getattr(call, field)
        if value is None:
            return None
        total += value
    return total


class ReviewedContentSerializer(serializers.Serializer[Content]):
    """``markdown`` is the text of a result; a file is downloaded from its card."""

    name = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    markdown = serializers.CharField(source="result.markdown", allow_null=True, default=None)
    file_id = serializers.UUIDField(source="file.id", allow_null=True, default=None)


class ShownReviewSerializer(serializers.Serializer[ShownReview]):
    """A review with exactly what would be approved, and what follows."""

    id = serializers.UUIDField(source="review.id")
    board_id = serializers.UUIDField(source="review.board_id")
    card_id = serializers.UUIDField(source="review.card_id")
    card = serializers.CharField(source="review.card.title")
    round = serializers.IntegerField(source="review.n")
    state = serializers.CharField(source="review.state")
    agent = serializers.CharField(source="review.turn.agent.name")
    maker = ActorSerializer(source="review.maker")
    opened_at = serializers.DateTimeField(source="review.opened_at")
    decision = DecisionSerializer(source="review.decision", allow_null=True, default=None)
    contents = ReviewedContentSerializer(many=True)
    sentences = serializers.ListField(child=serializers.CharField(), help_text="What an approval leads to.")
    cannot_approve = serializers.CharField(help_text="The code that stands against your approval, or empty.")
    intent_hash = serializers.CharField()
