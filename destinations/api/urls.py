"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from destinations.api.views import CardDeliveriesView, DeliveryView, DestinationsView, DestinationView

urlpatterns = [
    path("destinations", DestinationsView.as_view(), name="api-destinations"),
    path("destinations/<str:destination_id>", DestinationView.as_view(), name="api-destination"),
    path("cards/<str:card_id>/deliveries", CardDeliveriesView.as_view(), name="api-card-deliveries"),
    path("deliveries/<str:delivery_id>", DeliveryView.as_view(), name="api-delivery"),
]
