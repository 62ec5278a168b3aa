"""What this app shows of its rows, to tools and REST alike."""

from __future__ import annotations

from rest_framework import serializers

from destinations.models import Destination
from reviews.models import Decision, FolderFile, Review, ReviewFile, WorkFolder
from reviews.rules import AREA_NAMES
from reviews.selectors.folders import counts
from reviews.states import FolderStorage
from workspaces.models import Member
from workspaces.serializers import ActorSerializer


class ReviewerSerializer(serializers.Serializer[Member]):
    member_id = serializers.UUIDField(source="pk")
    name = serializers.CharField(source="actor.name")


class FolderDestinationSerializer(serializers.Serializer[Destination]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    state = serializers.CharField()


class WorkFolderSerializer(serializers.Serializer[WorkFolder]):
    board_id = serializers.UUIDField()
    storage = serializers.CharField(help_text="s3, hosted or none.")
    destination = FolderDestinationSerializer(allow_null=True, help_text="The bucket, of a folder of storage s3.")
    is_on = serializers.SerializerMethodField(help_text="Whether it counts now, and turns reviews on.")
    reviewer = ReviewerSerializer(allow_null=True, help_text="Null: whoever opens the board decides.")
    inbox = serializers.CharField(help_text="attach, card or off.")
    folders = serializers.SerializerMethodField(help_text="The four folders inside.")
    is_ready = serializers.SerializerMethodField(help_text="Whether the four folders are there.")
    code = serializers.CharField(help_text="What stands against looking into the bucket; empty when nothing does.")
    set_by = serializers.CharField(source="set_by.name")
    updated_at = serializers.DateTimeField()

    def get_is_on(self, folder: WorkFolder) -> bool:
        return counts(folder, folder.board.workspace)

    def get_is_ready(self, folder: WorkFolder) -> bool:
        return folder.storage == FolderStorage.HOSTED or folder.ready_at is not None

    def get_folders(self, folder: WorkFolder) -> list[str]:
        return [f"{name}/" for name in AREA_NAMES.values()]


class FolderFileSerializer(serializers.Serializer[FolderFile]):
    id = serializers.UUIDField()
    card_id = serializers.UUIDField(allow_null=True)
    storage = serializers.CharField()
    folder = serializers.SerializerMethodField(help_text="Which of the four folders it is in, or on its way to.")
    path = serializers.CharField(help_text="Below that folder.")
    name = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    is_there = serializers.BooleanField(source="is_settled", help_text="False while it is on its way.")
    code = serializers.CharField(help_text="What keeps it from getting there; empty when nothing does.")
    created_at = serializers.DateTimeField()

    def get_folder(self, file: FolderFile) -> str:
        return dict(AREA_NAMES)[file.area]  # type: ignore[index]  # an area is its own text


class ReviewFileSerializer(serializers.Serializer[ReviewFile]):
    name = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class DecisionSerializer(serializers.Serializer[Decision]):
    decision = serializers.CharField()
    note = serializers.CharField()
    decided_by = serializers.CharField(source="decided_by.actor.name")
    door = serializers.CharField()
    intent_hash = serializers.CharField()
    decided_at = serializers.DateTimeField(source="created_at")


class ReviewRowSerializer(serializers.Serializer[Review]):
    """One line of a list of reviews."""

    id = serializers.UUIDField()
    board_id = serializers.UUIDField()
    card_id = serializers.UUIDField()
    card = serializers.CharField(source="card.title")
    round = serializers.IntegerField(source="n")
    state = serializers.CharField()
    code = serializers.CharField(help_text="Why it was closed without a decision.")
    agent = serializers.CharField(source="turn.agent.name")
    maker = ActorSerializer()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    files = ReviewFileSerializer(many=True)
    decision = DecisionSerializer(allow_null=True, default=None)
