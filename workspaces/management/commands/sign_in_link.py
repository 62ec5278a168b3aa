"""sign_in_link: a way in for somebody who has an account, from the shell."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from workspaces.management.quiet import quiet
from workspaces.models import User
from workspaces.services.second_step import turn_off
from workspaces.services.sign_in_links import make_link


class Command(BaseCommand):
    help = "Print a link that signs somebody in, once and within an hour."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="e-mail address of an account")
        parser.add_argument(
            "--without-second-step",
            action="store_true",
            help="also turn off the person's second step: their app is lost",
        )

    @quiet()
    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"No account has the address {email}.")
        if not user.is_active:
            raise CommandError(f"The account {email} is switched off.")
        if options["without_second_step"]:
            turn_off(user)
        self.stdout.write(f"Sign in once, within an hour: {settings.APP_URL}{make_link(user)}")
