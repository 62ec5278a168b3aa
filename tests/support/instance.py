"""A whole instance for programs that are no tests: services, a migrated database, and a workspace with a token."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import django
from django.core.management import call_command

from tests.support.mcp import served
from tests.support.services import Services

CALLS_PER_MINUTE = "1000000"  # what is measured or walked through here is not the limit


@dataclass(frozen=True, kw_only=True)
class Instance:
    """What a program needs to call it: the ASGI application, and a token that may do everything."""

    application: Any
    token: str
    card_id: str


@contextmanager
def served_instance(**environment: str) -> Iterator[tuple[Instance, str]]:
    """Serve one on a free port, under the address that it knows as its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with running_instance(APP_URL=address, **environment) as instance, served(instance.application, listener):
        yield instance, address


@contextmanager
def running_instance(**environment: str) -> Iterator[Instance]:
    """Start it, fill it with one board and one card, and end it. Once per process: Django is set up here."""
    with ExitStack() as ending:
        services = Services()
        ending.callback(services.stop)
        services.start()
        os.environ.update(
            DJANGO_SETTINGS_MODULE="bakedbrie.settings",
            SECRET_KEY="an instance for an hour",
            SEALING_KEYS="instance:" + "YW4gaW5zdGFuY2UgZm9yIGFuIGhvdXI6IG5vIHNlY3I=",
            DATABASE_NAME="instance",
            CELERY_BROKER_URL=os.environ["WORKER_BROKER_URL"],
            CALLS_PER_MINUTE=CALLS_PER_MINUTE,
            **{"LOG_LEVEL": "WARNING", **environment},
        )
        services.postgres.make_database("instance")
        django.setup()
        call_command("migrate", verbosity=0)
        yield _filled()


def _filled() -> Instance:
    # Imported here: the models need the settings, and those the addresses of what was just started.
    from bakedbrie.asgi import application  # noqa: PLC0415
    from tests.factories.boards import make_board, make_card  # noqa: PLC0415
    from tests.factories.workspaces import make_workspace  # noqa: PLC0415
    from workspaces.services.tokens import mint_token  # noqa: PLC0415
    from workspaces.states import Preset  # noqa: PLC0415

    owner = make_workspace()
    card = make_card(owner, make_board(owner))
    _, token = mint_token(owner, label="for programs", preset=Preset.FULL_CONTROL)
    return Instance(application=application, token=token, card_id=str(card.pk))
