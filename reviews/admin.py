"""The admin of work folders: to read. A folder changes on its board, files by their own steps."""

from __future__ import annotations

from typing import Any

from django.contrib import admin

from reviews.models import FolderFile, FolderStep, WorkFolder
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
