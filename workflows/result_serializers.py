"""What is shown of finished work, to tools and REST alike."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from bakedbrie.lib.toolkit.tool import Answer
from boards.models import CardFile
from boards.services.file_links import make_link
from destinations.serializers import DeliverySerializer
from reviews.models import ReviewFile
from workflows.selectors.outputs import Output, source_of
from workflows.selectors.results import SUMMARY_CHARACTERS, Finished, FollowUp, Results
from workspaces.caller import Caller
from workspaces.serializers import ActorSerializer


class OutputLineSerializer(serializers.Serializer[CardFile]):
    """A file that was made here, as a list names it."""

    output_id = serializers.UUIDField(source="pk")
    name = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class ResultLineSerializer(serializers.Serializer[Any]):
    """A result with the beginning of its Markdown; get_output has the whole."""

    output_id = serializers.UUIDField(source="pk")
    round = serializers.IntegerField(source="iteration.n")
    made_by = ActorSerializer()
    sha256 = serializers.CharField()
    summary = serializers.SerializerMethodField()
    is_whole = serializers.SerializerMethodField(help_text="Whether the summary is all of it.")
    created_at = serializers.DateTimeField()

    def get_summary(self, result: Any) -> str:
        return str(result.beginning[:SUMMARY_CHARACTERS])

    def get_is_whole(self, result: Any) -> bool:
        return len(result.beginning) <= SUMMARY_CHARACTERS


class FinishedSerializer(serializers.Serializer[Finished]):
    """A card in Done, with what it produced."""

    id = serializers.UUIDField(source="card.id")
    board_id = serializers.UUIDField(source="card.board_id")
    title = serializers.CharField(source="card.title")
    state = serializers.CharField(source="card.badge")
    state_reason = serializers.CharField(source="card.badge_reason")
    state_since = serializers.DateTimeField(source="card.badge_since")
    result = ResultLineSerializer(allow_null=True)
    files = OutputLineSerializer(many=True)
    files_total = serializers.IntegerField()


class ApprovedFileSerializer(serializers.Serializer[ReviewFile]):
    """What the newest approval of a card was about."""

    output_id = serializers.SerializerMethodField(help_text="Null: it was taken off its card since.")
    card_id = serializers.UUIDField(source="review.card_id")
    review_id = serializers.UUIDField()
    name = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    approved_by = serializers.CharField(source="review.decision.decided_by.actor.name")
    approved_at = serializers.DateTimeField(source="review.closed_at")

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_output_id(self, file: ReviewFile) -> str | None:
        is_gone = file.file is not None and file.file.removed_at is not None
        return None if is_gone else str(file.pk)


class FollowUpSerializer(serializers.Serializer[FollowUp]):
    """Something that is still open."""

    kind = serializers.CharField(help_text="delivery, review or question.")
    id = serializers.UUIDField(source="pk")
    board_id = serializers.UUIDField(source="card.board_id")
    card_id = serializers.UUIDField(source="card.id")
    card = serializers.CharField(source="card.title")
    code = serializers.CharField()
    text = serializers.CharField()
    since = serializers.DateTimeField()
    url = serializers.CharField(help_text="The page where a person goes on with it.")


class ResultsSerializer(serializers.Serializer[Results]):
    """A page of finished cards, and what is open."""

    cards = FinishedSerializer(many=True)
    receipts = DeliverySerializer(many=True)
    approved_files = ApprovedFileSerializer(many=True)
    followups = FollowUpSerializer(many=True, help_text="With the first page alone, the oldest first.")
    are_more_followups = serializers.BooleanField()
    next_cursor = serializers.CharField(allow_null=True, help_text="Give it back as cursor; null on the last page.")


class OutputSerializer(serializers.Serializer[Output]):
    """What an output is; `shown_output` adds the link or the text."""

    output_id = serializers.UUIDField(source="thing.pk")
    card_id = serializers.UUIDField(source="card.pk")
    name = serializers.CharField(source="content.name")
    media_type = serializers.CharField(source="content.media_type")
    bytes = serializers.IntegerField(source="content.bytes")
    sha256 = serializers.CharField(source="content.sha256")


class ShownOutputSerializer(OutputSerializer):
    """An output with a link to it, or with its text."""

    url = serializers.CharField(required=False, help_text="Downloads it without a token until expires_at.")
    expires_at = serializers.DateTimeField(required=False)
    source = serializers.CharField(required=False)  # type: ignore[assignment]  # DRF takes declared fields off the class


def show_output(caller: Caller, output: Output, form: str) -> Answer:
    """Return what an output is, with its text as source, or with a link that downloads it for a few minutes."""
    shown = OutputSerializer(output).data
    if form == "source":
        return {**shown, "source": source_of(output)}
    link = make_link(caller, file=output.thing)
    return {**shown, "url": link.url, "expires_at": link.expires_at}
