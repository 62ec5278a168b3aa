"""The admin of what packages bring: the ticks of beat, to read. Their own pages would write rows past any service."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from workspaces.admin_access import is_operator
from workspaces.owned_admin import MachineRowAdmin

admin.site.unregister([EmailAddress, Authenticator, UserSession])  # what lets people in is theirs alone
admin.site.unregister([Group, ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule])


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(MachineRowAdmin):
    """The table in ``workers.beat`` is what counts: beat writes it here when it starts."""

    list_display = ["name", "task", "schedule", "enabled", "last_run_at", "total_run_count"]
    list_select_related = ["interval", "crontab", "solar", "clocked"]
    search_fields = ["name", "task"]
    ordering = ["name"]
    fields = ["name", "task", "schedule", "enabled", "expire_seconds", "last_run_at", "total_run_count", "date_changed"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[PeriodicTask]:
        rows: QuerySet[PeriodicTask] = admin.ModelAdmin.get_queryset(self, request)
        return rows if is_operator(request) else rows.none()

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return []

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)
