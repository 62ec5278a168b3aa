"""Read shapes of destinations and deliveries: what REST, MCP and pages show. No key has a field here."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from destinations.models import BoardDestination, CardDestination, Delivery, DeliveryStep, Destination
from destinations.receipts import message_of, newest_files
from destinations.services.destinations import Cleared, target_of


class S3ConfigSerializer(serializers.Serializer[dict[str, object]]):
    """Where a bucket is. The id of the key is its name; its secret is nowhere."""

    endpoint = serializers.CharField()
    region = serializers.CharField()
    bucket = serializers.CharField()
    prefix = serializers.CharField()
    path_style = serializers.BooleanField()
    access_key_id = serializers.CharField()


class BoardUseSerializer(serializers.Serializer[BoardDestination]):
    board_id = serializers.UUIDField()
    name = serializers.CharField(source="board.name")


class CardUseSerializer(serializers.Serializer[CardDestination]):
    card_id = serializers.UUIDField()
    title = serializers.CharField(source="card.title")


class ClearedSerializer(serializers.Serializer[Cleared]):
    """What goes there no more."""

    boards = BoardUseSerializer(many=True)
    cards = CardUseSerializer(many=True)
    hidden = serializers.IntegerField(help_text="How many more, of boards that you do not open.")
    credential_destroyed = serializers.BooleanField(source="is_secret_destroyed")


class PlannedPathSerializer(serializers.Serializer[dict[str, str]]):
    name = serializers.CharField()
    path = serializers.CharField()


class KnownDestinationSerializer(serializers.Serializer[Destination]):
    """A destination in few words."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    type = serializers.CharField(source="kind")
    state = serializers.CharField()
    target = serializers.SerializerMethodField()

    def get_target(self, destination: Destination) -> str:
        return target_of(destination)


class DestinationSerializer(serializers.Serializer[Destination]):
    """``boards`` and ``cards`` use it, as far as the reader may open them; `destinations_of` brings them."""

    id = serializers.UUIDField()
    type = serializers.CharField(source="kind")
    name = serializers.CharField()
    state = serializers.CharField()
    target = serializers.SerializerMethodField(help_text="In one line where it is.")
    config = S3ConfigSerializer()
    path_template = serializers.CharField()
    revision = serializers.IntegerField()
    last_error = serializers.CharField(help_text="The code of what went wrong last; empty while all is well.")
    checked_at = serializers.DateTimeField(allow_null=True)
    connected_by = serializers.CharField(source="connected_by.name")
    boards = BoardUseSerializer(source="board_rows", many=True)
    cards = CardUseSerializer(source="card_rows", many=True)
    created_at = serializers.DateTimeField()

    def get_target(self, destination: Destination) -> str:
        return target_of(destination)


class NewestFiles(serializers.ListSerializer[DeliveryStep]):
    """Leaves out earlier tries of the same file."""

    def to_representation(self, data: Any) -> list[Any]:
        return super().to_representation(newest_files(data.all()))


class DeliveryFileSerializer(serializers.Serializer[DeliveryStep]):
    """``path`` is the key in the bucket, byte for byte."""

    name = serializers.CharField()
    path = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    state = serializers.CharField()
    code = serializers.CharField()
    http_status = serializers.IntegerField(allow_null=True)
    etag = serializers.CharField()
    was_there = serializers.BooleanField(help_text="The same bytes lay there already, so nothing was sent.")
    sent_at = serializers.DateTimeField(allow_null=True)
    settled_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        list_serializer_class = NewestFiles


class DeliverySerializer(serializers.Serializer[Delivery]):
    """A delivery with its receipt: what arrived where, of which bytes. ``code`` says why it did not go well."""

    id = serializers.UUIDField()
    card_id = serializers.UUIDField()
    round = serializers.IntegerField(source="iteration.n")
    destination_id = serializers.UUIDField()
    destination = serializers.CharField(source="destination.name")
    cause = serializers.CharField()
    state = serializers.CharField()
    code = serializers.CharField()
    message = serializers.SerializerMethodField()
    idempotency_key = serializers.CharField(source="key")
    tries = serializers.IntegerField()
    requested_by = serializers.CharField(source="requested_by.name")
    finished_on = serializers.DateField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    files = DeliveryFileSerializer(source="steps", many=True)

    def get_message(self, delivery: Delivery) -> str:
        return message_of(delivery.code)
