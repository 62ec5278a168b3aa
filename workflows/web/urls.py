"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from workflows.web import (
    agent_page,
    agents,
    archive,
    board_page,
    card_edit,
    card_page,
    columns,
    files,
    home,
    moves,
    retiring,
    rule_form,
    rules,
    trash,
    turns,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("first-steps/", home.first_steps, name="first-steps"),
    path("boards/", home.add_board, name="add-board"),
    path("boards/<str:board_id>/", board_page.board, name="board"),
    path("boards/<str:board_id>/cards/", board_page.add_card, name="add-card"),
    path("boards/<str:board_id>/columns/", columns.add, name="add-column"),
    path("boards/<str:board_id>/agents/", agents.agents, name="agents"),
    path("boards/<str:board_id>/rules/", rules.rules, name="rules"),
    path("boards/<str:board_id>/rules/new/", rule_form.new, name="new-rule"),
    path("rules/<str:rule_id>/", rule_form.edit, name="edit-rule"),
    path("rules/<str:rule_id>/publish/", rules.publish, name="publish-rule"),
    path("rules/<str:rule_id>/pause/", rules.pause, name="pause-rule"),
    path("boards/<str:board_id>/archive/", archive.archive, name="archive-board"),
    path("boards/<str:board_id>/unarchive/", archive.restore, name="restore-board"),
    path("boards/<str:board_id>/trash/", trash.trash, name="trash"),
    path("agents/<str:agent_id>/", agent_page.agent, name="agent"),
    path("agents/<str:agent_id>/pause/", agent_page.pause, name="pause-agent"),
    path("agents/<str:agent_id>/resume/", agent_page.resume, name="resume-agent"),
    path("agents/<str:agent_id>/retire/", retiring.retire, name="retire-agent"),
    path("columns/<str:stage_id>/name/", columns.rename, name="rename-column"),
    path("columns/<str:stage_id>/place/", columns.shift, name="shift-column"),
    path("columns/<str:stage_id>/delete/", columns.delete, name="delete-column"),
    path("cards/<str:card_id>/", card_page.card, name="card"),
    path("cards/<str:card_id>/edit/", card_edit.edit, name="edit-card"),
    path("cards/<str:card_id>/trash/", trash.put, name="trash-card"),
    path("cards/<str:card_id>/restore/", trash.restore, name="restore-card"),
    path("cards/<str:card_id>/comments/", card_page.add_comment, name="add-comment"),
    path("cards/<str:card_id>/files/", files.upload, name="add-files"),
    path("cards/<str:card_id>/move/", moves.move, name="move-card"),
    path("files/<str:file_id>/", files.file, name="file"),
    path("turns/<str:turn_id>/lines/", turns.lines, name="turn-lines"),
    path("turns/<str:turn_id>/stop/", turns.stop, name="stop-turn"),
    path("turns/<str:turn_id>/run-again/", turns.again, name="run-turn-again"),
]
