"""setup_link: the way to the first account of an instance, from the shell."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from bakedbrie.lib.setup_code import setup_path
from workspaces.management.quiet import quiet
from workspaces.services.first_run import is_first_run


class Command(BaseCommand):
    help = "Print the link that makes the first account and workspace; it works until somebody has an account."

    @quiet()
    def handle(self, *args: Any, **options: Any) -> None:
        if not is_first_run():
            raise CommandError("There are accounts here already. `manage.py sign_in_link ADDRESS` lets one of them in.")
        self.stdout.write(f"Make the first account: {settings.APP_URL}{setup_path(settings.SECRET_KEY)}")
