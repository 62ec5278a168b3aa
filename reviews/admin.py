"""The admin of work folders and reviews: to read. Folders change on their boards, reviews by people's decisions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin

from reviews.models import Decision, FolderFile, FolderStep, Review, ReviewFile, WorkFolder
from workspaces.owned_admin import MachineRowAdmin


@admin.register(WorkFolder)
class WorkFolderAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["board", "storage", "reviewer", "inbox", "set_by", "updated_at"]
    list_select_related = ["board", "reviewer__user", "set_by"]
    list_filter = ["storage", "inbox"]
    search_fields = ["board__name"]
    ordering = ["-pk"]
    fields = ["board", "storage", "reviewer", "inbox", "set_by", "created_at", "updated_at"]


@admin.register(FolderFile)
class FolderFileAdmin(MachineRowAdmin):
    workspace_path = "folder__board__workspace"
    list_display = ["path", "area", "storage", "folder_board", "bytes", "is_settled", "code", "tries", "created_at"]
    list_select_related = ["folder__board"]
    list_filter = ["area", "storage", "is_settled", "code"]
    search_fields = ["path", "folder__board__name"]
    ordering = ["-pk"]
    fields = [
        *("folder_board", "area", "path", "storage", "card", "media_type", "bytes", "sha256", "is_settled", "code"),
        *("tries", "try_at", "created_at", "unwanted_at", "gone_at"),
    ]
    readonly_fields = ["folder_board"]

    @admin.display(description="board")
    def folder_board(self, file: FolderFile) -> Any:
        return file.folder.board


@admin.register(FolderStep)
class FolderStepAdmin(MachineRowAdmin):
    workspace_path = "folder__board__workspace"
    list_display = ["phase", "file", "state", "code", "created_at", "settled_at"]
    list_select_related = ["file"]
    list_filter = ["state", "phase", "code"]
    search_fields = ["file__path"]
    ordering = ["-pk"]
    fields = ["phase", "file", "to_area", "state", "code", "created_at", "sent_at", "lease_until", "settled_at"]


@admin.register(Review)
class ReviewAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["card", "board", "n", "state", "maker", "code", "opened_at", "closed_at"]
    list_select_related = ["card", "board", "maker"]
    list_filter = ["state", "code"]
    search_fields = ["card__title", "board__name"]
    ordering = ["-pk"]
    fields = [
        *("card", "board", "n", "turn", "maker", "state", "code", "intent_hash", "next"),
        *("opened_at", "noticed_at", "closed_at"),
    ]


@admin.register(ReviewFile)
class ReviewFileAdmin(MachineRowAdmin):
    workspace_path = "review__board__workspace"
    list_display = ["name", "review", "n", "media_type", "bytes", "created_at"]
    list_select_related = ["review"]
    list_filter = ["media_type"]
    search_fields = ["name", "review__card__title"]
    ordering = ["-pk"]
    fields = ["review", "n", "name", "media_type", "bytes", "sha256", "result", "file", "created_at"]


@admin.register(Decision)
class DecisionAdmin(MachineRowAdmin):
    workspace_path = "review__board__workspace"
    list_display = ["decision", "review", "decided_by", "door", "took_ms", "created_at"]
    list_select_related = ["review", "decided_by__user"]
    list_filter = ["decision", "door"]
    search_fields = ["review__card__title", "review__board__name"]
    ordering = ["-pk"]
    fields = ["review", "decision", "note", "decided_by", "door", "intent_hash", "took_ms", "created_at"]
