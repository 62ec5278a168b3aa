"""The first account of a new instance: one owner and operator, for whoever knows the code, and only once."""

from __future__ import annotations

import hmac
import logging

from django.conf import settings
from django.db import connection, transaction

from bakedbrie.lib.refusals import NOT_FOUND
from bakedbrie.lib.setup_code import setup_code
from bakedbrie.lib.zones import UTC_NAME
from workspaces.models import Member, User
from workspaces.refusals import SETUP_CODE_WRONG
from workspaces.services.passwords import require_good
from workspaces.services.workspaces import create_workspace

logger = logging.getLogger(__name__)


def is_first_run() -> bool:
    """Return whether nobody has an account here yet."""
    return not User.objects.exists()


def require_code(code: str) -> None:
    """Refuse everybody once there is an account, and before that who does not know the code."""
    if not is_first_run():
        raise NOT_FOUND()
    if not hmac.compare_digest(code.encode(), setup_code(settings.SECRET_KEY).encode()):
        raise SETUP_CODE_WRONG()


@transaction.atomic
def make_first_owner(
    *, code: str, name: str, email: str, password: str, workspace: str, time_zone: str = UTC_NAME
) -> Member:
    """Make the account, as an operator, and its workspace. Of two at once the second finds nothing there any more."""
    require_code(code)
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE workspaces_user IN SHARE ROW EXCLUSIVE MODE")
    require_code(code)  # once more: while this waited, another one may have come
    require_good(password, User(email=email, name=name))
    owner = User.objects.create_superuser(email, password, name=name)
    made = create_workspace(name=workspace, owner=owner, time_zone=time_zone)
    logger.info("First account made", extra={"user": owner.pk})
    return Member.objects.select_related("workspace", "actor", "user").get(workspace=made, user=owner)
