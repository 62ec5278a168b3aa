"""Secret drops: a key goes from a person's shell to the workspace without entering the conversation.

A drop is prepared, filled by the command, and used once by the call that needs the key. A refused write rolls back
and leaves the drop filled. Whoever asks too late, twice or with another token gets the same SECRET_DROP_EXPIRED.
"""

from __future__ import annotations

import logging
import re
import shlex
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import INVALID_INPUT
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import SealedSecret, SecretDrop
from workspaces.refusals import (
    ENV_VAR_INVALID,
    PERSON_ONLY,
    SECRET_DROP_EXPIRED,
    SECRET_EMPTY,
    SECRET_NOT_FILLED,
    SECRET_PURPOSE_MISMATCH,
)
from workspaces.services.audit import record_audit
from workspaces.services.secrets import seal_secret
from workspaces.states import DropState, SecretPurpose, TokenKind

logger = logging.getLogger(__name__)

LIFETIME = timedelta(minutes=10)
MAX_BYTES = 64 * 1024
TOKEN_VARIABLE = "BAKEDBRIE_TOKEN"

# The command is run as it stands, so nothing but a plain name may get into it.
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@transaction.atomic
def prepare_drop(caller: Caller, *, kind: str, purpose: SecretPurpose, env_var: str) -> SecretDrop:
    """Open a drop for this token, or for this person in the web app, for ten minutes of the database's clock."""
    require_writer(caller)
    if caller.token is None and not caller.is_person_on_the_web:
        raise PERSON_ONLY()
    if caller.token is not None and caller.token.kind == TokenKind.CONNECTED:
        raise PERSON_ONLY(
            "No shell holds the token of a connected assistant, so that no command could send a key for it.",
            fix="Ask the user to enter the key in the web app, under Settings, AI accounts or Destinations.",
        )
    if not _VARIABLE.fullmatch(env_var) or env_var == TOKEN_VARIABLE:
        raise ENV_VAR_INVALID()
    drop = SecretDrop.objects.create(
        workspace=caller.workspace,
        member=caller.member,
        token=caller.token,
        kind=kind,
        purpose=purpose,
        env_var=env_var,
        expires_at=Now() + LIFETIME,
    )
    drop.refresh_from_db(fields=["expires_at"])
    record_audit(caller, "secret.prepared", drop=str(drop.pk), kind=kind, purpose=purpose.value)
    return drop


@transaction.atomic
def fill_drop(caller: Caller, *, drop_id: object, value: str) -> SecretDrop:
    """Seal what the command sent, exactly, without the one line ending that a shell may add."""
    require_writer(caller)
    value = value.removesuffix("\n").removesuffix("\r")
    if not value.strip():
        raise SECRET_EMPTY()
    if len(value.encode()) > MAX_BYTES or "\x00" in value:
        raise INVALID_INPUT(fields={"value": [f"must be text of at most {MAX_BYTES} bytes without NUL"]})
    drop = _open_drops(caller).filter(pk=ids.parse_id(drop_id)).first()
    if drop is None:
        raise SECRET_DROP_EXPIRED()
    drop.secret = seal_secret(caller.workspace, purpose=SecretPurpose(drop.purpose), value=value)
    drop.state = _move(caller, drop, DropState.PREPARED, DropState.FILLED, secret=drop.secret)
    logger.info("Secret drop filled", extra={"drop": drop.pk})
    return drop


@transaction.atomic
def consume_drop(caller: Caller, *, drop_id: object, purpose: SecretPurpose) -> SealedSecret:
    """Return the secret of a filled drop, once.

    Call it in the transaction that keeps what the secret is for; or, where something is asked outside in between,
    destroy the secret when that goes wrong. Each app's retention destroys what a dead process left behind.
    """
    require_writer(caller)
    drop = _open_drops(caller).select_related("secret").filter(pk=ids.parse_id(drop_id)).first()
    if drop is None:
        raise SECRET_DROP_EXPIRED()
    if drop.purpose != purpose:
        raise SECRET_PURPOSE_MISMATCH(purpose=drop.purpose)
    if drop.secret is None:
        raise SECRET_NOT_FILLED()
    _move(caller, drop, DropState.FILLED, DropState.USED)
    record_audit(caller, "secret.used", drop=str(drop.pk), secret=str(drop.secret.pk), purpose=purpose.value)
    return drop.secret


def drop_command(drop: SecretDrop) -> str:
    """Return the command that fills the drop, for sh, bash, zsh, dash and ash; on Windows, Git Bash or WSL.

    Token and value reach curl through its standard input as a config file, so that no process list shows them
    (printf is part of these shells). The value travels as lines of hexadecimal digits: whatever it holds, nothing in it
    can end a quote or start another option. -q keeps a .curlrc from printing headers.
    """
    address = shlex.quote(f"{settings.APP_URL}/api/v1/drops/{drop.pk}")
    header = f"""printf 'header = "Authorization: Bearer %s"\\n' "${TOKEN_VARIABLE}\""""
    value = f"""printf '%s' "${drop.env_var}" | od -An -v -tx1 | sed 's/.*/data-binary = "&"/'"""
    curl = f"curl -q -sS -X POST -H 'Content-Type: text/plain' -H 'Expect:' -K - {address}"
    return f"{{ {header}; {value}; }} | {curl}"


def decode_command_body(body: bytes) -> str:
    """Return the value that the command sent: hexadecimal digits, in lines that curl joined with ``&``."""
    try:
        return bytes.fromhex(body.decode("ascii").replace("&", " ")).decode()
    except ValueError:
        raise INVALID_INPUT(
            fields={"value": ["must be UTF-8 text, sent by the command that prepare_secret gave"]}
        ) from None


def _open_drops(caller: Caller) -> QuerySet[SecretDrop]:
    """The caller's own drops that are neither used nor too old, by the database's clock."""
    drops = SecretDrop.objects.filter(workspace=caller.workspace, member=caller.member, token=caller.token)
    return drops.filter(expires_at__gt=Now()).exclude(state=DropState.USED)


def _move(
    caller: Caller, drop: SecretDrop, source: DropState, target: DropState, secret: SealedSecret | None = None
) -> DropState:
    """Change the state in one guarded UPDATE: of two at once, the second finds no row."""
    filled = {"secret": secret} if secret else {}
    changed = _open_drops(caller).filter(pk=drop.pk, state=source).update(state=target, updated_at=Now(), **filled)
    if not changed:
        raise SECRET_DROP_EXPIRED()
    return target
