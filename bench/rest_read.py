"""REST reads and a page, beside a bare Django view that makes one SELECT, all on the same server.

Run: python -m bench.rest_read
"""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from statistics import median
from time import perf_counter

from bench.stack import served_web
from tests.support.instance import running_instance

ROUNDS = 200
WARM_UP = 60
TIMEOUT_S = 30.0


def main() -> None:
    with running_instance() as instance, served_web() as port:
        cookie, board_id = _signed_in()
        token = {"Authorization": f"Bearer {instance.token}"}
        asked: dict[str, tuple[str, Mapping[str, str]]] = {
            "bare Django view": ("/bare", {}),
            "GET /token": ("/api/v1/token", token),
            "GET /boards": ("/api/v1/boards", token),
            "GET /cards/{id}": (f"/api/v1/cards/{instance.card_id}", token),
            "page of a board": (f"/boards/{board_id}/", {"Cookie": cookie}),
            "page of a card": (f"/cards/{instance.card_id}/", {"Cookie": cookie}),
        }
        medians = _medians(port, asked)
        for name, taken in medians.items():
            ratio = taken / medians["bare Django view"]
            print(f"{name:<18} {taken * 1000:7.2f} ms   ratio {ratio:5.1f}   (medians of {ROUNDS})")


def _medians(port: int, asked: Mapping[str, tuple[str, Mapping[str, str]]]) -> dict[str, float]:
    """They take turns, one request at a time on one connection, so that the machine cancels out."""
    taken: dict[str, list[float]] = {name: [] for name in asked}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    for number in range(WARM_UP + ROUNDS):
        for name, (path, headers) in asked.items():
            began = perf_counter()
            connection.request("GET", path, headers=dict(headers))
            response = connection.getresponse()
            response.read()
            if number >= WARM_UP:
                taken[name].append(perf_counter() - began)
            if response.status not in {200, 204}:
                raise AssertionError(f"{name}: {response.status}")
    connection.close()
    return {name: median(times) for name, times in taken.items()}


def _signed_in() -> tuple[str, str]:
    """Return the cookie of a browser in which the owner is signed in, and the id of their board."""
    # Imported here: the models need the settings, and those the addresses of what was just started.
    from django.conf import settings  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from boards.models import Board  # noqa: PLC0415
    from workspaces.models import User  # noqa: PLC0415

    client = Client()
    client.force_login(User.objects.get())
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}", str(Board.objects.get().pk)


if __name__ == "__main__":
    main()
