"""get_output: one output as a link or as its text, for whoever opens its card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from boards.models import Result
from boards.services.files import remove_file
from boards.services.rounds import keep_result, start_round
from reviews.models import ReviewFile
from tests.factories.boards import make_board, make_card, make_file
from tests.factories.reviews import make_contents, work
from tests.factories.workflows import Line
from tests.support.cast import api
from tests.web.pages import code_of
from workflows.selectors.outputs import SOURCE_BYTES
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset

pytestmark = pytest.mark.django_db(transaction=True)

ABSENT = "0195f3a0-0000-7000-8000-000000000000"
Read = Callable[..., dict[str, Any]]


def output(caller: Caller, output_id: object, form: str | None = None, **more: Any) -> dict[str, Any]:
    given = {"output_id": str(output_id), **({"as": form} if form else {})}
    answer = api(caller, **more).post("/api/v1/tools/get_output", given, format="json").json()
    shown: dict[str, Any] = answer.get("error") or answer["untrusted_data"]["output"]
    return shown


def fetched(url: str) -> Any:
    return Client().get(url.removeprefix("http://127.0.0.1:8000"))


def made(caller: Caller, text: str = "# Findings\n\nBread 3, brie 7.\n") -> Result:
    card = make_card(caller, make_board(caller), title="Prices")
    return keep_result(card=card, iteration=start_round(caller, card=card), made_by=caller.actor, markdown=text)


@pytest.mark.requirement("B040")
def test_a_result_is_given_as_its_source_and_as_a_link(alice: Caller) -> None:
    result = made(alice)

    source, link = output(alice, result.pk, "source"), output(alice, result.pk)
    download = fetched(link["url"])

    assert source == {
        "output_id": str(result.pk),
        "card_id": str(result.card_id),
        "name": "prices.md",
        "media_type": "text/markdown",
        "bytes": len(result.markdown.encode()),
        "sha256": result.sha256,
        "source": result.markdown,
    }
    assert ("source" in link, link["sha256"]) == (False, result.sha256)
    assert download.getvalue().decode() == result.markdown
    assert download["Content-Disposition"] == 'attachment; filename="prices.md"'
    assert download["X-Content-Type-Options"] == "nosniff"


@pytest.mark.requirement("B040", "W034")
def test_a_file_is_given_as_its_source_and_as_a_link(alice: Caller) -> None:
    file = make_file(alice, make_card(alice, make_board(alice)), content="# Käse\n".encode())

    source, link = output(alice, file.pk, "source"), output(alice, file.pk, "link")

    assert (source["source"], source["name"], source["sha256"]) == ("# Käse\n", "notes.md", file.sha256)
    assert fetched(link["url"]).getvalue() == "# Käse\n".encode()


@pytest.mark.requirement("B040")
def test_what_is_reviewed_is_given_by_its_own_id(line: Line) -> None:
    review = work(line, text="Made to be read.")
    reviewed = ReviewFile.objects.get(review=review)

    source = output(line.caller, reviewed.pk, "source")
    switch_capability(line.caller, name="reviews", is_on=False)

    assert (source["source"], source["output_id"]) == ("Made to be read.", str(reviewed.result_id))
    assert output(line.caller, reviewed.pk)["code"] == "NOT_FOUND"


@pytest.mark.requirement("B040")
def test_what_is_no_text_or_too_long_is_given_as_a_link_alone(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    picture = make_file(alice, card, name="loaf.png", content=b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    late = make_file(alice, card, name="late.txt", content=b"a" * 20_000 + b"\xff")
    longest, longer = (make_file(alice, card, name=f"{n}.txt", content=b"a" * (SOURCE_BYTES + n)) for n in (0, 1))

    told = [output(alice, one.pk, "source").get("code") for one in (picture, late, longest, longer)]

    assert told == ["OUTPUT_NEEDS_LINK", "OUTPUT_NEEDS_LINK", None, "OUTPUT_NEEDS_LINK"]
    assert all("url" in output(alice, one.pk) for one in (picture, late, longer))


@pytest.mark.requirement("W002", "W007")
def test_foreign_absent_removed_and_closed_ones_answer_alike(alice: Caller, mia: Caller, charlie: Caller) -> None:
    result = made(alice)
    kept, removed = make_file(alice, result.card, name="a.md"), make_file(alice, result.card, name="b.md")
    remove_file(alice, file=removed)

    answers = [
        output(caller, one, form)
        for form in ("link", "source")
        for caller, one in (
            (alice, ABSENT),
            (alice, "no id"),
            (alice, removed.pk),
            (mia, result.pk),
            (mia, kept.pk),
            (charlie, result.pk),
            (charlie, kept.pk),
        )
    ]

    assert {answer.pop("request_id", "") == "" for answer in answers} == {True}
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["code"] == "NOT_FOUND"


@pytest.mark.requirement("W034")
def test_it_needs_media_at_both_doors_and_serves_who_only_reads(alice: Caller) -> None:
    result = made(alice)
    read = output(alice, result.pk, "source", preset=Preset.READ_ONLY)
    switch_capability(alice, name="media", is_on=False)

    assert "source" in read
    assert output(alice, result.pk)["code"] == "CAPABILITY_OFF"
    assert api(alice).get(f"/api/v1/outputs/{result.pk}").json()["error"]["code"] == "CAPABILITY_OFF"


def test_rest_gives_a_link_unless_it_is_asked_for_the_source(alice: Caller) -> None:
    result = made(alice)
    client = api(alice)

    link = client.get(f"/api/v1/outputs/{result.pk}").json()["output"]
    source = client.get(f"/api/v1/outputs/{result.pk}?as=source").json()["output"]
    wrong = client.get(f"/api/v1/outputs/{result.pk}?as=picture").json()["error"]

    assert ("url" in link, source["source"]) == (True, result.markdown)
    assert list(wrong["fields"]) == ["as"]


def test_a_link_to_a_result_is_never_stronger_than_who_made_it(alice: Caller, mia: Caller, settings: Settings) -> None:
    board = make_board(alice, members=[mia.member])
    result, _ = make_contents(alice, make_card(alice, board))
    url = output(mia, result.pk)["url"]
    before = fetched(url).status_code
    board.members.get(member=mia.member).delete()

    after = fetched(url)

    assert (before, after.status_code, code_of(after)) == (200, 409, "LINK_EXPIRED")
