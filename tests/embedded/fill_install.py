"""Run by `manage.py shell` on an install whose stores run: rows of every app, files, a secret, work under way."""

from __future__ import annotations

import sys
from datetime import timedelta
from time import monotonic

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command

from agents.models import Turn
from bakedbrie.lib import once
from boards.access import get_card
from boards.services.comments import add_comment
from boards.services.files import remove_file
from reviews.calls.folder_steps import run_step
from reviews.models import FolderStep
from tests.factories.boards import make_board, make_card, make_file
from tests.factories.destinations import bare_destination
from tests.factories.reviews import make_hosted_folder, put_result
from tests.factories.workflows import make_line
from tests.factories.workspaces import make_workspace
from tests.support.fake_provider import FakeProvider
from workspaces.models import RequestRecord
from workspaces.services.secrets import seal_secret
from workspaces.services.sign_in_links import make_link
from workspaces.states import SecretPurpose

BUSY_FOR_S = 10


def main() -> None:
    call_command("migrate", verbosity=0)
    alice = make_workspace(name="Alice's Bakery", owner="Alice Archer")
    charlie = make_workspace(name="Charlie's Cheese", owner="Charlie Cole")
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        make_line(alice, provider).start()
        sent = make_line(alice, provider).start()
    once.claim(Turn, sent.pk, deadline=timedelta(minutes=10))
    for owner in (alice, charlie):
        card = make_card(owner, make_board(owner))
        add_comment(owner, card=card, text="Zwölf Brötchen 🥖")
        make_file(owner, card, name="large.bin", content=bytes(range(256)) * 5000)
        remove_file(owner, file=make_file(owner, card, name="removed.md"))
        make_link(owner.member.user)
    board = make_board(alice)
    put_result(alice, make_hosted_folder(alice, board), get_card(alice, make_card(alice, board).pk))
    run_step(FolderStep.objects.get().pk)
    bare_destination(alice, board)
    seal_secret(charlie.workspace, purpose=SecretPurpose.AI_ACCOUNT, value="sk-of-charlie")
    RequestRecord.objects.create(
        workspace=alice.workspace, subject=alice.subject, request_id="under-way", call_hash="0" * 64
    )
    SessionStore().save()


def come_and_go() -> None:
    """Add and remove files until a while is over, having said so first."""
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    alice = make_workspace(name="Busy Bakery", owner="Bea")
    card = make_card(alice, make_board(alice))
    ends_at = monotonic() + BUSY_FOR_S
    while monotonic() < ends_at:
        kept, gone = (make_file(alice, card, content=b"x" * 100_000) for _ in range(2))
        remove_file(alice, file=gone)
        remove_file(alice, file=kept)
