"""create_workspace: the first workspace, its owner and a way in, from the shell."""

from __future__ import annotations

import secrets
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from workspaces.access import caller_from_member
from workspaces.inputs import CreateWorkspaceIn
from workspaces.management.quiet import quiet
from workspaces.models import User
from workspaces.selectors import memberships_of
from workspaces.services.sign_in_links import make_link
from workspaces.services.tokens import mint_token
from workspaces.services.workspaces import create_workspace
from workspaces.states import Preset


class Command(BaseCommand):
    help = "Create a workspace and its owner; print a one-time sign-in link and, if asked, a token."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name of the workspace")
        parser.add_argument("email", help="the owner's e-mail address; an account that exists is used as it is")
        parser.add_argument("--owner-name", default="", help="the owner's name; the address's first part by default")
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input, not make one up"
        )
        parser.add_argument("--operator", action="store_true", help="the owner may also open the admin, for everything")
        parser.add_argument("--token", action="store_true", help="mint a full_control token and print it once")

    @quiet()
    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        try:
            validate_email(email)
            given = parse(
                CreateWorkspaceIn,
                {"name": options["name"], "owner_name": options["owner_name"] or email.partition("@")[0]},
            )
        except ValidationError as error:
            raise CommandError(f"{email} is no e-mail address: {' '.join(error.messages)}") from None
        except Refused as refused:
            raise CommandError(f"{refused.message} {refused.details['fields']}") from None
        owner = self._owner(email, given.owner_name, options)
        workspace = create_workspace(name=given.name, owner=owner)
        self.stdout.write(f"Workspace: {workspace.name} ({workspace.pk})")
        self.stdout.write(f"Sign in once, within an hour: {settings.APP_URL}{make_link(owner)}")
        if options["token"]:
            caller = caller_from_member(memberships_of(owner).get(workspace=workspace))
            _, raw = mint_token(caller, label="create_workspace", preset=Preset.FULL_CONTROL)
            self.stdout.write(f"Token, shown only now: {raw}")

    def _owner(self, email: str, name: str, options: dict[str, Any]) -> User:
        owner = User.objects.filter(email=email).first()
        if owner is None:
            owner = self._new_owner(email, name, reads_password=options["password_stdin"])
        elif not owner.is_active:
            raise CommandError(f"The account {email} is switched off.")
        elif options["password_stdin"]:
            raise CommandError(f"The account {email} exists and keeps its password.")
        if options["operator"]:
            owner.is_staff = owner.is_superuser = True
            owner.save(update_fields=["is_staff", "is_superuser"])
        return owner

    def _new_owner(self, email: str, name: str, *, reads_password: bool) -> User:
        password = sys.stdin.readline().rstrip("\r\n") if reads_password else secrets.token_urlsafe(18)
        try:
            validate_password(password, User(email=email, name=name))
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        if not reads_password:
            self.stdout.write(f"Password, shown only now: {password}")
        return User.objects.create_user(email, password, name=name)
