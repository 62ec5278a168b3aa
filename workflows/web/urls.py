"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from workflows.web import board_page, card_page, files, home, moves, turns

urlpatterns = [
    path("", home.home, name="home"),
    path("boards/<str:board_id>/", board_page.board, name="board"),
    path("boards/<str:board_id>/cards/", board_page.add_card, name="add-card"),
    path("cards/<str:card_id>/", card_page.card, name="card"),
    path("cards/<str:card_id>/comments/", card_page.add_comment, name="add-comment"),
    path("cards/<str:card_id>/files/", files.upload, name="add-files"),
    path("cards/<str:card_id>/move/", moves.move, name="move-card"),
    path("files/<str:file_id>/", files.file, name="file"),
    path("turns/<str:turn_id>/lines/", turns.lines, name="turn-lines"),
    path("turns/<str:turn_id>/stop/", turns.stop, name="stop-turn"),
    path("turns/<str:turn_id>/run-again/", turns.again, name="run-turn-again"),
]
