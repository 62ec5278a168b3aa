"""The admin of boards, columns and cards, which change through services, and of everything else, to read."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.http import HttpRequest

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
from boards.services.stages import rename_stage
from workspaces.owned_admin import MachineRowAdmin, OwnedAdmin, admin_caller, changed


@admin.register(Board)
class BoardAdmin(OwnedAdmin):
    list_display = ["name", "workspace", "archived_at", "created_at"]
    list_select_related = ["workspace"]
    search_fields = ["name"]
    ordering = ["-id"]
    fields = ["workspace", "name", "description", "guidelines", "revision", "created_by", "archived_at"]
    readonly_fields = ["workspace", "revision", "created_by", "archived_at"]

    def save_model(self, request: HttpRequest, obj: Board, form: forms.ModelForm[Board], change: bool) -> None:
        given = changed(form, EditBoardIn, expected_revision=obj.revision)
        edit_board(admin_caller(request, obj.workspace), board=obj, expected_revision=None, **given)


@admin.register(Stage)
class StageAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    list_display = ["name", "role", "position", "board"]
    list_select_related = ["board"]
    search_fields = ["name", "board__name"]
    ordering = ["board", "position"]
    fields = ["board", "name", "role", "position"]
    readonly_fields = ["board", "role", "position"]

    def save_model(self, request: HttpRequest, obj: Stage, form: forms.ModelForm[Stage], change: bool) -> None:
        given = changed(form, StagesIn, action="rename", stage_id=str(obj.pk))
        if given:
            rename_stage(admin_caller(request, obj.board.workspace), stage=obj, **given)


@admin.register(Card)
class CardAdmin(OwnedAdmin):
    workspace_path = "board__workspace"
    list_display = ["title", "board", "stage", "owner", "badge", "badge_reason", "created_at"]
    list_select_related = ["board", "stage", "owner"]
    list_filter = ["badge"]
    search_fields = ["title"]
    ordering = ["-id"]
    fields = ["board", "stage", "title", "brief", "owner", "revision", "badge", "badge_reason", "badge_since"]
    readonly_fields = ["board", "stage", "owner", "revision", "badge", "badge_reason", "badge_since"]

    def save_model(self, request: HttpRequest, obj: Card, form: forms.ModelForm[Card], change: bool) -> None:
        given = changed(form, EditCardIn, expected_revision=obj.revision)
        edit_card(admin_caller(request, obj.board.workspace), card=obj, expected_revision=None, **given)


@admin.register(BoardMember)
class BoardMemberAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["member", "board", "is_manager"]
    list_select_related = ["member__user", "board"]
    fields = ["board", "member", "is_manager", "created_at"]


@admin.register(BoardEvent)
class BoardEventAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["created_at", "kind", "actor", "board", "card"]
    list_select_related = ["actor", "board", "card"]
    list_filter = ["kind"]
    ordering = ["-id"]
    fields = ["created_at", "board", "card", "kind", "actor", "data"]


@admin.register(CardPlace)
class CardPlaceAdmin(MachineRowAdmin):
    workspace_path = "stage__board__workspace"
    list_display = ["card", "stage", "position"]
    list_select_related = ["card", "stage"]
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
    ordering = ["-id"]
    fields = ["card", "author", "text", "created_at"]


@admin.register(Iteration)
class IterationAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["card", "n", "started_by", "turns", "created_at"]
    list_select_related = ["card", "started_by"]
    ordering = ["-id"]
    fields = ["card", "n", "started_by", "turns", "created_at"]


@admin.register(Result)
class ResultAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "card", "iteration", "made_by", "sha256"]
    list_select_related = ["card", "iteration", "made_by"]
    ordering = ["-id"]
    fields = ["card", "iteration", "made_by", "markdown", "sha256", "created_at"]
