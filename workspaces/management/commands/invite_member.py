"""invite_member: ask somebody into a workspace from the shell, in the name of one of its owners or admins."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from workspaces.access import caller_from_member
from workspaces.caller import Caller
from workspaces.inputs import InviteIn
from workspaces.management.quiet import quiet
from workspaces.models import User
from workspaces.roles import Role
from workspaces.selectors import memberships_of
from workspaces.services.invites import invite_member


class Command(BaseCommand):
    help = "Invite an e-mail address into a workspace; print the link, which works once and for seven days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="id of the workspace, as create_workspace printed it")
        parser.add_argument("email", help="whom to invite")
        parser.add_argument("--role", default=Role.MEMBER.value, choices=[role.value for role in Role])
        parser.add_argument("--by", required=True, help="e-mail address of the owner or admin who invites")

    @quiet()
    def handle(self, *args: Any, **options: Any) -> None:
        caller = _inviter(options["workspace"], options["by"])
        try:
            given = parse(InviteIn, {"email": options["email"], "role": options["role"]})
            invite, path = invite_member(caller, email=given.email, role=Role(given.role))
        except Refused as refused:
            raise CommandError(f"{refused.message} {refused.details.get('fields', refused.fix)}") from None
        self.stdout.write(f"For {invite.email}, shown only now: {settings.APP_URL}{path}")


def _inviter(workspace_id: str, email: str) -> Caller:
    user = User.objects.filter(email=email.strip().lower()).first()
    member = memberships_of(user).filter(workspace=ids.parse_id(workspace_id)).first() if user else None
    if member is None:
        raise CommandError(f"{email} is no member of that workspace.")
    return caller_from_member(member)
