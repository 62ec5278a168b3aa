"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from destinations.web import board, card, destination, destinations

urlpatterns = [
    path("settings/destinations/", destinations.destinations, name="destinations"),
    path("settings/destinations/new/", destinations.new, name="new-destination"),
    path("settings/destinations/example/", destinations.example, name="example-path"),
    path("settings/destinations/<str:destination_id>/", destination.destination, name="destination"),
    path("settings/destinations/<str:destination_id>/edit/", destination.edit, name="edit-destination"),
    path("settings/destinations/<str:destination_id>/check/", destination.check, name="check-destination"),
    path("settings/destinations/<str:destination_id>/default/", destination.default, name="default-destination"),
    path("settings/destinations/<str:destination_id>/turn-off/", destination.off, name="turn-off-destination"),
    path("boards/<str:board_id>/destination/", board.destination, name="board-destination"),
    path("boards/<str:board_id>/destination/clear/", board.clear, name="clear-board-destination"),
    path("cards/<str:card_id>/destination/", card.destination, name="card-destination"),
    path("cards/<str:card_id>/destination/clear/", card.clear, name="clear-card-destination"),
]
