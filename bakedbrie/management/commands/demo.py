"""The main job from end to end on a running instance: a card, an agent, a result."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from bakedbrie.demo import report, story
from bakedbrie.demo.account import DemoAccount, choose_account
from bakedbrie.demo.bucket import DemoBucket, choose_bucket
from bakedbrie.demo.client import ApiClient, ApiRefused
from bakedbrie.demo.progress import Progress
from bakedbrie.lib.refusals import Refused
from workspaces.access import caller_from_member, caller_from_token
from workspaces.models import Member, User, Workspace
from workspaces.services.capabilities import switch_capability
from workspaces.services.sign_in_links import make_link
from workspaces.services.tokens import mint_token
from workspaces.services.workspaces import create_workspace
from workspaces.states import Preset

EMAIL = "demo@bakedbrie.example"
WORKSPACE = "Demo workspace"
PATIENCE_S = 240
TRIES = 3


class Command(BaseCommand):
    help = "Run the demo against the instance of this data folder; status 0 only if the card was finished."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="the instance stops afterwards: print no link to it")

    def handle(self, *args: Any, **options: Any) -> None:
        account = choose_account()
        if account is None:
            raise CommandError("There is no model to work with: use `make demo`, which brings one.")
        bucket = choose_bucket()
        owner = _ensure_owner()
        if bucket:
            for name in ("destinations", "reviews"):
                switch_capability(caller_from_member(owner), name=name, is_on=True)
        token = _ensure_token(owner)
        self.stdout.write(account.note)
        client = ApiClient(settings.APP_URL, token)
        try:
            card, board_id = self._play(client, account, bucket)
        except ApiRefused as refused:
            way_out = account.way_out or refused.fix
            raise CommandError(f"{refused.code}: {refused.message} {way_out}".strip()) from None
        self._print(report.card_report(card))
        if bucket:
            self._hand_over(client, card, bucket, decides=options["once"])
        if options["once"]:
            self._print(report.stopped_report())
        else:
            link, page = make_link(owner.user), f"/boards/{board_id}/"
            self._print(report.connection_report(settings.APP_URL, token, link, page))
        if not card["result"]:
            raise CommandError(" ".join([*report.failure_report(card), account.way_out]).strip())

    def _play(self, client: ApiClient, account: DemoAccount, bucket: DemoBucket | None) -> tuple[dict[str, Any], str]:
        account_id = story.ensure_account(client, account)
        board = story.ensure_board(client)
        board_id = str(board["id"])
        client.tool("bind_ai_account", account_id=account_id, scope="board", scope_id=board_id)
        if bucket:
            story.ensure_work_folder(client, board, story.ensure_destination(client, bucket, board))
        agent_id = story.ensure_agent(client, board, delivers=bucket is not None)
        story.ensure_rule(client, board, agent_id)
        card_id = story.ensure_card(client, board)
        story.put_to_work(client, board, card_id)
        card = self._wait(client, card_id)
        for _ in range(TRIES - 1):
            if not (account.is_local and story.was_cut_short(card)):
                break
            self.stdout.write("The small model wrote past its room, so the card was blocked. The agent runs again.")
            story.put_to_work(client, board, card_id)
            card = self._wait(client, card_id)
        return card, board_id

    def _hand_over(self, client: ApiClient, card: dict[str, Any], bucket: DemoBucket, *, decides: bool) -> None:
        """Show the review that waits, decide on it if told so, and show the receipt of what was delivered."""
        try:
            review = story.open_review(client, card["board_id"], card["id"])
            if review:
                self._print(report.review_report(review, settings.APP_URL, decides=decides))
                if decides:
                    story.approve(client, review)
            delivery = story.wait_for_delivery(client, card["id"], patience_s=PATIENCE_S)
        except ApiRefused as refused:
            raise CommandError(str(refused)) from None
        if delivery:
            self._print(report.delivery_report(delivery, bucket.folder))
        if decides and card["result"] and (delivery is None or delivery["state"] != "delivered"):
            raise CommandError("The result was not delivered.")

    def _wait(self, client: ApiClient, card_id: str) -> dict[str, Any]:
        progress = Progress(sys.stdout)
        card = story.wait_for_end(client, card_id, patience_s=PATIENCE_S, on_tick=progress.tick)
        progress.end()
        return card

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.stdout.write(line)


def _ensure_owner() -> Member:
    user = User.objects.filter(email=EMAIL).first() or User.objects.create_user(
        EMAIL, name="Demo Owner", is_staff=True, is_superuser=True
    )
    if not Workspace.objects.filter(name=WORKSPACE, members__user=user).exists():
        create_workspace(name=WORKSPACE, owner=user)
    return Member.objects.select_related("workspace", "actor", "user").get(user=user, workspace__name=WORKSPACE)


def _ensure_token(owner: Member) -> str:
    """Return the token that an earlier run kept in the data folder, else mint one and keep it there (0600)."""
    kept = Path(settings.DATA) / "demo-token"
    if kept.exists():
        token = kept.read_text().strip()
        try:
            caller_from_token(token)
        except Refused:
            kept.unlink()
        else:
            return token
    _, token = mint_token(caller_from_member(owner), label="Demo", preset=Preset.FULL_CONTROL)
    descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token)
    return token
