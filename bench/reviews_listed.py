"""Two hundred reviews that wait, listed on their page, over REST and over MCP, each beside the SQL it needs, run bare.

REST and MCP list them in pages of a hundred, so there both pages are counted; the page shows the first hundred and says
how many more there are.
Run: python -m bench.reviews_listed
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.mcp_read import Call, tool_call
from bench.stack import bare_s, running_stack, served_web, until
from tests.support.mcp import ERAS

if TYPE_CHECKING:
    from tests.factories.workflows import Line
    from workspaces.caller import Caller

REVIEWS = 200
ROUNDS = 60
WARM_UP = 10
ROWS = 100
TIMEOUT_S = 30.0
LIST = "/api/v1/tools/list_reviews"


@dataclass(frozen=True, kw_only=True)
class Door:
    """``ask`` lists them all over a connection; ``statements`` is the SQL of that."""

    ask: Callable[[http.client.HTTPConnection], None]
    statements: list[str]


def main() -> None:
    with running_stack() as provider:
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from tests.factories.workflows import make_line  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415

        line = make_line(make_workspace(), provider)
        _fill(line)
        doors = _doors(line.caller)
        with served_web() as port:
            whole, bare = _measured(port, doors)
        for name, door in doors.items():
            taken, sql = median(whole[name]), median(bare[name])
            print(
                f"{name:<6} {taken * 1000:7.1f} ms   its SQL, bare {sql * 1000:6.1f} ms   ratio {taken / sql:5.1f}   "
                f"({len(door.statements)} statements)"
            )
        print(f"{REVIEWS} reviews; medians of {ROUNDS}, in turns")


def _measured(port: int, doors: dict[str, Door]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """They take turns, so that the machine cancels out."""
    whole: dict[str, list[float]] = {name: [] for name in doors}
    bare: dict[str, list[float]] = {name: [] for name in doors}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    for number in range(WARM_UP + ROUNDS):
        for name, door in doors.items():
            sql = bare_s(door.statements)
            began = perf_counter()
            door.ask(connection)
            if number >= WARM_UP:
                whole[name].append(perf_counter() - began)
                bare[name].append(sql)
    connection.close()
    return whole, bare


def _fill(line: Line) -> None:
    from django.db import connection  # noqa: PLC0415

    from reviews.models import Review  # noqa: PLC0415
    from tests.factories.reviews import give_folder, let_wait  # noqa: PLC0415

    give_folder(line)
    line.provider.reply("Finished work.")
    line.start()
    until(Review.objects.exists, every_s=0.05)
    let_wait(Review.objects.get(), REVIEWS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _doors(caller: Caller) -> dict[str, Door]:
    from django.conf import settings  # noqa: PLC0415

    from tests.support.cast import api, browser, token_of  # noqa: PLC0415

    settings.ALLOWED_HOSTS.append("testserver")
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    client, page, token = api(caller), browser(caller), token_of(caller)
    cursor = client.post(LIST, {"limit": ROWS}, format="json").json()["untrusted_data"]["next_cursor"]
    pages: list[dict[str, Any]] = [{"limit": ROWS}, {"limit": ROWS, "cursor": cursor}]
    of_tool = _statements(lambda: [client.post(LIST, given, format="json") for given in pages])
    addresses = [f"/api/v1/reviews?limit={ROWS}", f"/api/v1/reviews?limit={ROWS}&cursor={cursor}"]
    of_rest = _statements(lambda: [client.get(address) for address in addresses])
    cookie = f"{settings.SESSION_COOKIE_NAME}={page.cookies[settings.SESSION_COOKIE_NAME].value}"
    bearer = {"Authorization": f"Bearer {token}"}
    calls = [tool_call(token, ERAS[-1], "list_reviews", given) for given in pages]
    return {
        "page": Door(
            ask=lambda connection: _get(connection, "/reviews/", {"Cookie": cookie}),
            statements=_statements(lambda: [page.get("/reviews/")]),
        ),
        "REST": Door(ask=lambda connection: _get_all(connection, addresses, bearer), statements=of_rest),
        "MCP": Door(ask=lambda connection: _call_all(connection, calls), statements=of_tool),
    }


def _get_all(connection: http.client.HTTPConnection, addresses: list[str], headers: dict[str, str]) -> None:
    for address in addresses:
        _get(connection, address, headers)


def _call_all(connection: http.client.HTTPConnection, calls: list[Call]) -> None:
    for call in calls:
        call(connection)


def _get(connection: http.client.HTTPConnection, path: str, headers: dict[str, str]) -> None:
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200 or ("/api/" in path and len(json.loads(body)["reviews"]) != ROWS):
        raise AssertionError(f"{path}: {response.status}")


def _statements(ask: Callable[[], list[Any]]) -> list[str]:
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    ask()  # the first call notes when a token was used
    with CaptureQueriesContext(connection) as captured:
        assert {answer.status_code for answer in ask()} == {200}
    return [query["sql"] for query in captured.captured_queries if query["sql"].startswith("SELECT")]


if __name__ == "__main__":
    main()
