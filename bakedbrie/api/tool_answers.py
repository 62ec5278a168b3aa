"""What each tool answers, in the serializers it answers with; the OpenAPI document shows it under untrusted_data."""

from __future__ import annotations

from typing import Any

from rest_framework.fields import (
    BooleanField,
    CharField,
    DictField,
    IntegerField,
    JSONField,
    ListField,
    URLField,
    UUIDField,
)
from rest_framework.serializers import Serializer

from agents.serializers import (
    AgentSerializer,
    AgentVersionSerializer,
    AiAccountSerializer,
    AiBindingSerializer,
    BoundAiAccountSerializer,
)
from bakedbrie.api.move_answers import ConsequencesSerializer, NamedSerializer
from bakedbrie.lib.web.operation import Shape
from boards.serializers import (
    BoardMemberSerializer,
    BoardRowSerializer,
    CardFileSerializer,
    CardRowSerializer,
    CardSerializer,
    ColumnSerializer,
    CommentSerializer,
    IterationSerializer,
    ResultSerializer,
    ShownBoardSerializer,
)
from destinations.serializers import (
    ClearedSerializer,
    DeliverySerializer,
    DestinationSerializer,
    KnownDestinationSerializer,
    PlannedPathSerializer,
)
from reviews.serializers import ReviewRowSerializer, WorkFolderSerializer
from workflows.result_serializers import ResultsSerializer, ShownOutputSerializer
from workflows.serializers import (
    AgentLineSerializer,
    AskLineSerializer,
    AskSerializer,
    BoardFolderSerializer,
    ModelCallSerializer,
    RuledColumnSerializer,
    RuleSerializer,
    ShownReviewSerializer,
    StorySerializer,
    TriggerSerializer,
    TurnSerializer,
    WrittenSerializer,
)
from workspaces.serializers import DispatchSerializer, PreparedDropSerializer

NEXT_CURSOR = CharField(allow_null=True, help_text="Give it back as cursor; null on the last page.")


class _UserSerializer(NamedSerializer):
    role = CharField()
    owner_id = UUIDField(help_text="The user as the owner of a card.")


class _TokenSerializer(Serializer[Any]):
    id = UUIDField()
    label = CharField()  # type: ignore[assignment]  # DRF takes declared fields off the class
    preset = CharField()


class _AccountSerializer(Serializer[Any]):
    id = UUIDField()
    label = CharField()  # type: ignore[assignment]  # DRF takes declared fields off the class
    kind = CharField()
    provider = CharField()
    model = CharField()
    state = CharField()
    trouble = CharField()


class _StorageSerializer(Serializer[Any]):
    """What lies in BakedBrie storage, and how much may."""

    bytes_used = IntegerField()
    bytes_allowed = IntegerField()


WHOAMI: Shape = {
    "workspace": NamedSerializer(),
    "user": _UserSerializer(),
    "token": _TokenSerializer(),
    "capabilities": DictField(child=BooleanField()),
    "dispatch_paused": BooleanField(),
    "ai_accounts": _AccountSerializer(many=True),
    "destinations": KnownDestinationSerializer(many=True),
    "app_url": URLField(),
    "storage": _StorageSerializer(required=False, help_text="While hosted_work_folder is on."),
    "runners": ListField(child=JSONField(), required=False),
}


class _ReadBoardSerializer(ShownBoardSerializer):
    stages = RuledColumnSerializer(many=True)
    agents = AgentLineSerializer(many=True)
    rules = RuleSerializer(many=True)
    members = BoardMemberSerializer(many=True)
    is_shared = BooleanField()
    dispatch_paused = BooleanField()
    work_folder = BoardFolderSerializer(allow_null=True)
    destination = KnownDestinationSerializer(allow_null=True)
    asks = AskLineSerializer(many=True)


class _NewBoardSerializer(NamedSerializer):
    stages = ColumnSerializer(many=True)


class _UndoneSerializer(Serializer[Any]):
    setup_id = UUIDField()
    board_id = UUIDField()


class _HistorySerializer(Serializer[Any]):
    events = StorySerializer(many=True)
    next_cursor = NEXT_CURSOR


class _ReadCardSerializer(CardSerializer):
    comments = CommentSerializer(many=True)
    comments_total = IntegerField()
    files = CardFileSerializer(many=True)
    result = ResultSerializer(allow_null=True)
    earlier_results = ResultSerializer(many=True)
    rounds = IterationSerializer(many=True)
    turns = TurnSerializer(many=True)
    asks = AskSerializer(many=True)
    history = _HistorySerializer()


class _ManagedTurnSerializer(TurnSerializer):
    """What is only read with the action read may be absent."""

    prompt = JSONField(required=False)
    prompt_sha256 = CharField(required=False)
    reply = CharField(required=False)
    notes = JSONField(required=False)
    asks = AskSerializer(many=True, required=False)
    written = WrittenSerializer(required=False, allow_null=True)
    calls = ModelCallSerializer(many=True, required=False)


class _DocumentSerializer(Serializer[Any]):
    page = CharField()
    title = CharField()
    about = CharField()


class _SectionSerializer(Serializer[Any]):
    section = CharField()
    heading = CharField()


class _HitSerializer(Serializer[Any]):
    page = CharField()
    title = CharField()
    section = CharField(required=False)
    heading = CharField(required=False)
    excerpt = CharField()


_CARD: Shape = {"card": CardSerializer()}
_AGENT: Shape = {"agent": AgentSerializer()}
_DISPATCH = DispatchSerializer()
_ACCOUNT: Shape = {"ai_account": AiAccountSerializer(), "is_model_listed": BooleanField(allow_null=True)}

ANSWERS: dict[str, Shape | Serializer[Any]] = {
    "add_comment": {"comment": CommentSerializer()},
    "author_workflow_draft": {"rule": RuleSerializer()},
    "bind_ai_account": {
        "binding": AiBindingSerializer(),
        "ai_account": AiAccountSerializer(),
        "needs_publish": BooleanField(),
    },
    "check_ai_account": _ACCOUNT,
    "connect_ai_account": _ACCOUNT,
    "create_agent_draft": {"agent": AgentSerializer(), "confirm": ListField(child=CharField())},
    "create_board": {"board": _NewBoardSerializer()},
    "create_card": _CARD,
    "list_ai_accounts": {"ai_accounts": BoundAiAccountSerializer(many=True)},
    "list_boards": {"boards": BoardRowSerializer(many=True), "next_cursor": NEXT_CURSOR},
    "list_card_files": {"card_id": UUIDField(), "files": CardFileSerializer(many=True)},
    "list_cards": {"cards": CardRowSerializer(many=True), "next_cursor": NEXT_CURSOR},
    "decide_review": {"review": ReviewRowSerializer()},
    "get_output": {"output": ShownOutputSerializer()},
    "get_review": {"review": ShownReviewSerializer()},
    "list_results": ResultsSerializer(),
    "list_reviews": {"reviews": ReviewRowSerializer(many=True), "next_cursor": NEXT_CURSOR},
    "list_triggers": {"triggers": TriggerSerializer(many=True)},
    "manage_agent": {
        "agent": AgentSerializer(required=False),
        "agents": AgentSerializer(many=True, required=False),
        "versions": AgentVersionSerializer(many=True, required=False),
    },
    "manage_destination": {
        "destination": DestinationSerializer(required=False),
        "destinations": DestinationSerializer(many=True, required=False),
        "cleared": ClearedSerializer(required=False),
        "target": CharField(required=False),
        "paths": PlannedPathSerializer(many=True, required=False),
        "path": CharField(required=False),
        "is_removed": BooleanField(required=False),
    },
    "manage_board_guidelines": {"board_id": UUIDField(), "guidelines": CharField(), "revision": IntegerField()},
    "manage_stages": {"board_id": UUIDField(), "revision": IntegerField(), "stages": ColumnSerializer(many=True)},
    "manage_turn": {"turn": _ManagedTurnSerializer()},
    "move_card": _CARD,
    "pause_workspace_dispatch": _DISPATCH,
    "prepare_secret": PreparedDropSerializer(),
    "preview_move": {"consequences": ConsequencesSerializer(), "preview_hash": CharField()},
    "publish_agent": _AGENT,
    "publish_workflow": {
        "rule": RuleSerializer(),
        "cards_in_stage": IntegerField(required=False),
        "note": CharField(required=False),
    },
    "read_board": {"board": _ReadBoardSerializer()},
    "set_work_folder": {"work_folder": WorkFolderSerializer()},
    "setup_board": {
        "setup_id": UUIDField(),
        "board": _NewBoardSerializer(),
        "agents": AgentLineSerializer(many=True),
        "rules": RuleSerializer(many=True),
    },
    "undo_setup": {"undone": _UndoneSerializer()},
    "read_docs": {
        "pages": _DocumentSerializer(many=True, required=False),
        "results": _HitSerializer(many=True, required=False),
        "page": CharField(required=False),
        "title": CharField(required=False),
        "about": CharField(required=False),
        "section": CharField(required=False),
        "heading": CharField(required=False),
        "text": CharField(required=False),
        "is_whole": BooleanField(required=False),
        "sections": _SectionSerializer(many=True, required=False),
    },
    "read_card": {"card": _ReadCardSerializer()},
    "redeliver": {"delivery": DeliverySerializer()},
    "reorder_card": {"card": CardRowSerializer()},
    "resume_workspace_dispatch": _DISPATCH,
    "whoami": WHOAMI,
}
