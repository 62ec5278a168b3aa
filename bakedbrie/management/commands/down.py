"""`manage.py down`: end an embedded install that runs in another shell."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand, CommandError

from bakedbrie.embedded import commands
from bakedbrie.embedded.trouble import Trouble


class Command(BaseCommand):
    help = "Stop what `up` started, and wait for its end."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        try:
            sys.exit(commands.down())
        except Trouble as trouble:
            raise CommandError(str(trouble)) from None
