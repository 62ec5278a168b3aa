"""The admin of destinations and deliveries: to read. Destinations change through their tool."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from destinations.models import BoardDestination, CardDestination, Delivery, DeliveryStep, Destination
from destinations.services.deliveries import ring_again
from workspaces.owned_admin import MachineRowAdmin, ValuesFilter


@admin.register(Destination)
class DestinationAdmin(MachineRowAdmin):
    needs = ("destinations",)
    list_display = ["name", "kind", "state", "last_error", "workspace", "checked_at"]
    list_select_related = ["workspace"]
    list_filter = ["kind", "state"]
    search_fields = ["name", "workspace__name"]
    ordering = ["-id"]
    fields = [
        "workspace",
        "name",
        "kind",
        "config",
        "path_template",
        "state",
        "last_error",
        "checked_at",
        "revision",
        "connected_by",
    ]


@admin.register(BoardDestination)
class BoardDestinationAdmin(MachineRowAdmin):
    workspace_path = "board__workspace"
    list_display = ["board", "destination", "set_by", "updated_at"]
    list_select_related = ["board", "destination", "set_by"]
    search_fields = ["board__name", "destination__name"]
    ordering = ["-id"]
    fields = ["board", "destination", "set_by", "created_at", "updated_at"]


@admin.register(CardDestination)
class CardDestinationAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["card", "destination", "set_by", "updated_at"]
    list_select_related = ["card", "destination", "set_by"]
    search_fields = ["card__title", "destination__name"]
    ordering = ["-id"]
    fields = ["card", "destination", "set_by", "created_at", "updated_at"]


@admin.register(Delivery)
class DeliveryAdmin(MachineRowAdmin):
    workspace_path = "card__board__workspace"
    list_display = ["created_at", "card", "destination", "cause", "state", "code", "tries", "finished_at", "told_at"]
    list_select_related = ["card", "destination"]
    list_filter = ["state", "cause", ("code", ValuesFilter)]
    search_fields = ["card__title", "destination__name", "code"]
    ordering = ["-id"]
    fields = [
        "card",
        "iteration",
        "destination",
        "key",
        "cause",
        "state",
        "code",
        "finished_on",
        "tries",
        "rings",
        "requested_by",
        "created_at",
        "finished_at",
        "told_at",
    ]
    actions = ["ring"]

    @admin.action(description="Ring again", permissions=["view"])
    def ring(self, request: HttpRequest, rows: QuerySet[Delivery]) -> None:
        jobs = [ring_again(delivery) for delivery in rows]
        rung = sum(job is not None for job in jobs)
        self.message_user(request, f"Rang for {rung} of {len(jobs)} deliveries; the others are over.")


@admin.register(DeliveryStep)
class DeliveryStepAdmin(MachineRowAdmin):
    workspace_path = "delivery__card__board__workspace"
    list_display = ["created_at", "delivery", "n", "tries", "path", "state", "code", "http_status"]
    list_select_related = ["delivery"]
    list_filter = ["state", ("code", ValuesFilter)]
    search_fields = ["path", "delivery__card__title"]
    ordering = ["-id"]
    fields = [
        "delivery",
        "tries",
        "n",
        "name",
        "path",
        "media_type",
        "bytes",
        "sha256",
        "state",
        "code",
        "http_status",
        "etag",
        "was_there",
        "attempt",
        "sent_at",
        "lease_until",
        "settled_at",
    ]
