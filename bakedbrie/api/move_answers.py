"""What preview_move answers, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework.fields import BooleanField, CharField, ChoiceField, IntegerField, ListField, UUIDField
from rest_framework.serializers import Serializer

from workflows.states import DeliversAfter


class NamedSerializer(Serializer[Any]):
    id = UUIDField()
    name = CharField()


class StepRuleSerializer(Serializer[Any]):
    id = UUIDField()
    version = IntegerField()


class StepAgentSerializer(NamedSerializer):
    version = IntegerField(allow_null=True)
    state = CharField()


class StepPayerSerializer(Serializer[Any]):
    id = UUIDField()
    label = CharField()  # type: ignore[assignment]  # DRF takes declared fields off the class
    provider = CharField()
    model = CharField()
    trouble = CharField(allow_null=True)


class StepSerializer(Serializer[Any]):
    stage = NamedSerializer()
    rule = StepRuleSerializer()
    agent = StepAgentSerializer()
    pays = StepPayerSerializer(allow_null=True)
    waits_for = CharField(allow_null=True, help_text="A code while the card would wait, else null.")
    is_reviewed = BooleanField(help_text="What was made waits for a review before the card moves on.")
    then_stage = NamedSerializer()


class ConsequencesSerializer(Serializer[Any]):
    card_id = UUIDField()
    card_revision = IntegerField()
    from_stage = NamedSerializer(allow_null=True)
    to_stage = NamedSerializer()
    steps = StepSerializer(many=True)
    is_loop = BooleanField()
    ends_in = NamedSerializer()
    closes_review = UUIDField(allow_null=True, help_text="The review that the move closes without a decision.")
    delivers_to = NamedSerializer(allow_null=True, help_text="Where what was made goes.")
    delivers_after = ChoiceField(
        choices=[after.value for after in DeliversAfter],
        allow_null=True,
        help_text="What comes before it: this move, the end of the work, an answer, or an approved review.",
    )
    dispatch_paused = BooleanField()
    sentences = ListField(child=CharField())
