"""The environment that Django's settings read in an embedded install."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping, MutableMapping

from bakedbrie.embedded import postgres, valkey
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.local_bucket import LocalBucket
from bakedbrie.embedded.local_model import LocalModel
from bakedbrie.embedded.memory import recall
from bakedbrie.embedded.ports import LOOPBACK

FIRST_WEB_PORT = 8000
OPERATOR_SETS = ("SECRET_KEY", "SECRET_KEY_FILE", "DATABASE_HOST")
PREPARE_THEMSELVES = ("up", "down")


def for_django(folder: DataFolder, given: Mapping[str, str]) -> dict[str, str]:
    """Return ``given`` with this folder's keys, servers and addresses. Makes keys where there are none."""
    keys = {"SECRET_KEY": folder.secret_key(), "SEALING_KEYS": folder.sealing_keys()}
    return {**given, **_addresses(folder, given), **keys}


def complete(environment: MutableMapping[str, str], command: str) -> None:
    """Let ``manage.py`` work without any setting: on the embedded install beside it.

    Before the first start there are no keys; then throwaway ones let a command such as ``check`` or ``up`` begin.
    An environment that an operator wrote stays as it is.
    """
    if any(name in environment for name in OPERATOR_SETS):
        return
    folder = DataFolder.here()
    if command not in PREPARE_THEMSELVES:
        environment.update(_addresses(folder, environment))
    if folder.has_keys():
        environment.update(SECRET_KEY=folder.secret_key(), SEALING_KEYS=folder.sealing_keys())
    else:
        throwaway = base64.b64encode(secrets.token_bytes(32)).decode()
        environment.update(SECRET_KEY=throwaway, SEALING_KEYS=f"throwaway:{throwaway}")


def _addresses(folder: DataFolder, given: Mapping[str, str]) -> dict[str, str]:
    memory = recall(folder.memory)
    loopback = [given.get("OUTBOUND_LOOPBACK", "")]
    if memory.uses_local_model and memory.model_port:
        loopback.append(LocalModel(memory.model_port).address)
    if memory.uses_local_bucket and memory.bucket_port:
        loopback.append(LocalBucket(memory.bucket_port).address)
    return {
        "BAKEDBRIE_DATA": str(folder.path),
        "DATABASE_HOST": str(postgres.socket_folder_of(folder.postgres)),
        "DATABASE_PORT": str(postgres.PORT),
        "DATABASE_USER": postgres.OWNER,
        "DATABASE_NAME": postgres.OWNER,
        "REDIS_URL": valkey.url(folder.valkey),
        "CELERY_BROKER_URL": valkey.broker_url(folder.valkey),
        "LOG_FORMAT": given.get("LOG_FORMAT") or "lines",  # a person reads the files in logs/
        "APP_URL": given.get("APP_URL") or f"http://{LOOPBACK}:{memory.web_port or FIRST_WEB_PORT}",
        "ALLOWED_HOSTS": given.get("ALLOWED_HOSTS") or "localhost",
        "OUTBOUND_LOOPBACK": ",".join(filter(None, loopback)),
    }
