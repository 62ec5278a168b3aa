"""settle_restored: what a restore runs before anything else may look at the rows."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

import destinations.services.restored
from agents.services.restored import give_up_sent
from reviews.services.restored import give_up_steps, keep_notices
from workspaces.management.quiet import quiet
from workspaces.services.restored import settle_restored


class Command(BaseCommand):
    help = "For rows restored from a backup: pause all work, and name what was under way unknown."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("made_at", help="when the backup was made")

    @quiet()
    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        counts = {
            **settle_restored(options["made_at"]),
            "turns unknown": give_up_sent(),
            "deliveries unknown": destinations.services.restored.give_up_sent(),
            "folder steps unknown": give_up_steps(),
            "notices not sent": keep_notices(),
        }
        self.stdout.write("  " + ", ".join(f"{what}: {count}" for what, count in counts.items()))
