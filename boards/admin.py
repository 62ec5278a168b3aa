"""The admin of boards, columns and cards, which change through services, and of everything else, to read."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from boards.inputs import EditBoardIn, EditCardIn, StagesIn
from boards.models import (
    Board,
    BoardEvent,
    BoardMember,
    Card,
    CardFile,
    CardPlace,
    Comment,
    Iteration,
    Result,
    Stage,
)
from boards.services.boards import edit_board
from boards.services.cards import edit_card
from boards.services.members import change_board_member, remove_board_member
from boards.services.stages import delete_stage, rename_stage
from workspaces.caller import Caller
from workspaces.input_form import InputForm
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin, ValuesFilter


class BoardForm(InputForm):
    input_model = EditBoardIn

    class Meta:
        model = Board
        fields = ["name", "description", "guidelines"]

    def more(self) -> dict[str, object]:
        return {"expected_revision": self.instance.revision}


@admin.register(Board)
class BoardAdmin(OwnedAdmin):
    form = BoardForm
    list_display = ["name", "workspace", "archived_at", "created_at"]
    list_select_related = ["workspace"]
    search_fields = ["name", "workspace__name"]
    ordering = ["-id"]
    fields = ["workspace", "name", "description", "guidelines", "revision", "created_by", "archived_at"]
    readonly_fields = ["workspace", "revision", "created_by", "archived_at"]

    def save_model(self, request: HttpRequest, obj: Board, form: BoardForm, change: bool) -> None:
        edit_board(self.caller(request, obj), board=obj, expected_revision=None, **form.given)


class StageForm(InputForm):
    input_model = StagesIn

    class Meta:
        model = Stage
        fields = ["name"]

    def more(self) -> dict[str, object]:
        return {"action": "rename", "stage_id": str(self.instance.pk)}


@admin.register(Stage)
class StageAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    needs = ("control",)
    form = StageForm
    list_display = ["name", "role", "position", "board"]
    list_select_related = ["board"]
    list_filter = ["role"]
    search_fields = ["name", "board__name"]
    ordering = ["board", "position"]
    fields = ["board", "name", "role", "position"]
    readonly_fields = ["board", "role", "position"]
    actions = ["delete_empty"]

    def save_model(self, request: HttpRequest, obj: Stage, form: StageForm, change: bool) -> None:
        if form.given:
            rename_stage(self.caller(request, obj), stage=obj, **form.given)

    @admin.action(description="Delete empty columns")
    def delete_empty(self, request: HttpRequest, rows: QuerySet[Stage]) -> HttpResponse | None:
        page = self.ask_first(request, rows, action="delete_empty", does="Delete these columns, if they are empty.")
        if page is None:
            self.each(request, rows, lambda caller, stage: delete_stage(caller, stage=stage), done="Deleted")
        return page


class CardForm(InputForm):
    input_model = EditCardIn

    class Meta:
        model = Card
        fields = ["title", "brief"]

    def more(self) -> dict[str, object]:
        return {"expected_revision": self.instance.revision}


@admin.register(Card)
class CardAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    form = CardForm
    list_display = ["title", "board", "stage", "owner", "badge", "badge_reason", "badge_since"]
    list_select_related = ["board", "stage", "owner"]
    list_filter = ["badge", ("badge_reason", ValuesFilter)]
    search_fields = ["title", "board__name"]
    ordering = ["-id"]
    fields = ["board", "stage", "title", "brief", "owner", "revision", "badge", "badge_reason", "badge_since"]
    readonly_fields = ["board", "stage", "owner", "revision", "badge", "badge_reason", "badge_since"]

    def save_model(self, request: HttpRequest, obj: Card, form: CardForm, change: bool) -> None:
        edit_card(self.caller(request, obj), card=obj, expected_revision=None, **form.given)


@admin.register(BoardMember)
class BoardMemberAdmin(MachineRowAdmin):
    """People are let in on the board itself; here is seen who may open which, and it is taken back."""

    workspace_path = "board__workspace"
    list_display = ["member", "board", "is_manager", "created_at"]
    list_select_related = ["member__user", "board"]
    list_filter = ["is_manager"]
    search_fields = ["member__user__name", "member__user__email", "board__name"]
    ordering = ["-pk"]
    fields = ["board", "member", "is_manager", "created_at"]
    actions = ["make_manager", "make_plain", "take_off"]

    @admin.action(description="Make managers of their boards", permissions=["view"])
    def make_manager(self, request: HttpRequest, rows: QuerySet[BoardMember]) -> None:
        self.each(request, rows.select_related("member"), _manages(True), done="Managers now")

    @admin.action(description="Make plain members of their boards", permissions=["view"])
    def make_plain(self, request: HttpRequest, rows: QuerySet[BoardMember]) -> None:
        self.each(request, rows.select_related("member"), _manages(False), done="Plain members now")

    @admin.action(description="Take off their boards", permissions=["view"])
    def take_off(self, request: HttpRequest, rows: QuerySet[BoardMember]) -> HttpResponse | None:
        page = self.ask_first(request, rows, action="take_off", does="They no longer open these boards.")
        if page is None:
            self.each(request, rows.select_related("member"), _take_off, done="Taken off")
        return page


def _manages(is_manager: bool) -> Callable[[Caller, BoardMember], object]:
    return lambda caller, row: change_board_member(caller, board=row.board, member=row.member, is_manager=is_manager)


def _take_off(caller: Caller, row: BoardMember) -> None:
    remove_board_member(caller, board=row.board, member=row.member)


@admin.register(BoardEvent)
class BoardEventAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["created_at", "kind", "actor", "board", "card"]
    list_select_related = ["actor", "board", "card"]
    list_filter = ["kind"]
    search_fields = ["kind", "board__name", "card__title", "actor__name"]
    ordering = ["-id"]
    fields = ["created_at", "board", "card", "kind", "actor", "data"]


@admin.register(CardPlace)
class CardPlaceAdmin(MachineRowAdmin):
    workspace_path = "stage__board__workspace"
    list_display = ["card", "stage", "position"]
    list_select_related = ["card", "stage"]
    search_fields = ["card__title", "stage__name"]
    ordering = ["stage", "position"]
    fields = ["card", "stage", "position"]


@admin.register(CardFile)
class CardFileAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["name", "media_type", "bytes", "origin", "card", "created_at", "removed_at"]
    list_select_related = ["card"]
    list_filter = ["origin"]
    search_fields = ["name", "sha256"]
    ordering = ["-id"]
    fields = ["card", "name", "media_type", "bytes", "sha256", "origin", "added_by", "created_at", "removed_at"]


@admin.register(Comment)
class CommentAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "author", "card"]
    list_select_related = ["author", "card"]
    search_fields = ["card__title", "author__name"]
    ordering = ["-id"]
    fields = ["card", "author", "text", "created_at"]


@admin.register(Iteration)
class IterationAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["card", "n", "started_by", "turns", "created_at"]
    list_select_related = ["card", "started_by"]
    search_fields = ["card__title"]
    ordering = ["-id"]
    fields = ["card", "n", "started_by", "turns", "created_at"]


@admin.register(Result)
class ResultAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "card", "iteration", "made_by", "sha256"]
    list_select_related = ["card", "iteration", "made_by"]
    search_fields = ["card__title", "sha256"]
    ordering = ["-id"]
    fields = ["card", "iteration", "made_by", "markdown", "sha256", "created_at"]
