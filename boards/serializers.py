"""What this app shows of its rows, to tools and REST alike."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from boards.models import Board, BoardEvent, BoardMember, Card, CardFile, Comment, Iteration, Result, Stage
from boards.selectors.boards import BoardRow, Column
from workspaces.roles import Role
from workspaces.serializers import ActorSerializer


class StageSerializer(serializers.Serializer[Stage]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    role = serializers.CharField()


class ColumnSerializer(serializers.Serializer[Column]):
    """A column with how many cards it holds."""

    id = serializers.UUIDField(source="stage.id")
    name = serializers.CharField(source="stage.name")
    role = serializers.CharField(source="stage.role")
    cards = serializers.IntegerField(source="total")


class BoardSerializer(serializers.Serializer[Board]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField()
    guidelines = serializers.CharField()
    archived = serializers.SerializerMethodField()
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()

    def get_archived(self, board: Board) -> bool:
        return board.archived_at is not None


class ShownBoardSerializer(BoardSerializer):
    """What a board shows at all times is its id and name; the rest while the capability control is on."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        for name in fields.keys() - {"id", "name"}:
            fields[name].required = False
        return fields


class BoardRowSerializer(serializers.Serializer[BoardRow]):
    """One line of a list of boards."""

    id = serializers.UUIDField(source="board.id")
    name = serializers.CharField(source="board.name")
    description = serializers.CharField(source="board.description")
    archived = serializers.SerializerMethodField()
    stages = ColumnSerializer(many=True, source="columns")

    def get_archived(self, row: BoardRow) -> bool:
        return row.board.archived_at is not None


class BoardMemberSerializer(serializers.Serializer[BoardMember]):
    member_id = serializers.UUIDField()
    name = serializers.CharField(source="member.actor.name")
    role = serializers.CharField(source="member.role")
    is_manager = serializers.SerializerMethodField()

    def get_is_manager(self, row: BoardMember) -> bool:
        """A manager who was made a viewer since manages nothing."""
        return row.is_manager and row.member.role != Role.VIEWER


class CardRowSerializer(serializers.Serializer[Card]):
    """One line of a list of cards. ``state`` is what the badge shows."""

    id = serializers.UUIDField()
    board_id = serializers.UUIDField()
    stage_id = serializers.UUIDField(allow_null=True, help_text="Null in the trash.")
    title = serializers.CharField()
    owner = ActorSerializer()
    state = serializers.CharField(source="badge")
    state_reason = serializers.CharField(source="badge_reason")
    state_since = serializers.DateTimeField(source="badge_since")
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    trashed_at = serializers.DateTimeField(allow_null=True)


class CardSerializer(CardRowSerializer):
    brief = serializers.CharField()


class CommentSerializer(serializers.Serializer[Comment]):
    id = serializers.UUIDField()
    author = ActorSerializer()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class CardFileSerializer(serializers.Serializer[CardFile]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    origin = serializers.CharField()
    added_by = ActorSerializer()
    created_at = serializers.DateTimeField()


class IterationSerializer(serializers.Serializer[Iteration]):
    id = serializers.UUIDField()
    n = serializers.IntegerField()
    started_by = ActorSerializer()
    turns = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class ResultSerializer(serializers.Serializer[Result]):
    id = serializers.UUIDField()
    round = serializers.IntegerField(source="iteration.n")
    made_by = ActorSerializer()
    markdown = serializers.CharField()
    sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()


class EventSerializer(serializers.Serializer[BoardEvent]):
    id = serializers.UUIDField()
    card_id = serializers.UUIDField(allow_null=True)
    kind = serializers.CharField()
    actor = ActorSerializer()
    data: Any = serializers.JSONField()
    created_at = serializers.DateTimeField()
