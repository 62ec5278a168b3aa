"""`manage.py up`: the embedded install in the foreground."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand, CommandError

from bakedbrie.embedded import commands
from bakedbrie.embedded.trouble import Trouble


class Command(BaseCommand):
    help = "Start Postgres, Valkey and BakedBrie on the data folder, and keep them running until Ctrl-C."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        try:
            sys.exit(commands.up())
        except Trouble as trouble:
            raise CommandError(str(trouble)) from None
