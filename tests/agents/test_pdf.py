"""Text of PDF files: read apart, within limits, and never at the cost of the worker."""

from __future__ import annotations

import io
import json

import pytest

from agents.calls import pdf, pdf_reader
from agents.calls.hosted import run_turn
from agents.calls.pdf import PdfText, Unreadable, read_pdf
from agents.models import Turn
from agents.services.agents import publish_agent, write_draft
from agents.states import TurnState
from tests.agents.conftest import Desk
from tests.factories.boards import make_file
from tests.support.fake_provider import FakeProvider
from tests.support.pdfs import make_pdf, protect


def read(raw: bytes) -> PdfText:
    return read_pdf(io.BytesIO(raw))


def why_not(raw: bytes) -> str:
    with pytest.raises(Unreadable) as unreadable:
        read(raw)
    return str(unreadable.value)


@pytest.mark.requirement("A004")
def test_the_text_of_every_page_is_read() -> None:
    assert read(make_pdf("Oven 100", "Fridge 200")) == PdfText(text="Oven 100\n\nFridge 200", is_cut=False)


def test_pages_beyond_the_bound_are_left_out() -> None:
    found = read(make_pdf(*[f"Page {n}" for n in range(pdf_reader.MOST_PAGES + 1)]))

    assert (found.is_cut, "Page 99" in found.text, "Page 100" in found.text) == (True, True, False)


def test_text_beyond_the_bound_is_cut() -> None:
    found = read(make_pdf("a" * 300_000, "b" * 300_000))

    assert (found.is_cut, found.text.count("a"), found.text.count("b")) == (True, 300_000, 100_000)


def test_a_password_is_needed_only_where_reading_asks_for_one() -> None:
    locked, open_to_all = (protect(make_pdf("Oven"), user_password=word) for word in ("sesame", ""))

    assert why_not(locked) == "it is protected by a password"
    assert read(open_to_all).text == "Oven"


BROKEN = {
    "nothing": b"",
    "no PDF": b"%PDF-1.7 secret",
    "cut off": make_pdf("Oven")[:200],
    "a page of itself": make_pdf("Oven").replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
    "a bomb": make_pdf(content=bytes(200_000_000)),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_a_broken_or_hostile_file_is_unreadable_and_nothing_more(raw: bytes) -> None:
    assert why_not(raw) in {"it could not be read", "it holds no text, only pictures"}


def test_a_file_of_pictures_holds_no_text() -> None:
    assert why_not(make_pdf(content=b"0 0 100 100 re f")) == "it holds no text, only pictures"


def test_a_file_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = make_pdf(content=b"BT /F1 12 Tf (a) Tj ET " * 2_000_000)
    monkeypatch.setattr(pdf, "TIMEOUT_S", 1.0)

    assert why_not(endless) == "reading it took too long"


def test_the_reader_has_no_environment_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")

    assert read(make_pdf("Oven")).text == "Oven"


@pytest.mark.requirement("A004")
@pytest.mark.django_db
def test_an_agent_reads_pdfs_and_is_told_which_it_cannot(paid_desk: Desk, service: FakeProvider) -> None:
    agent = write_draft(
        paid_desk.caller, board=paid_desk.board, agent=paid_desk.agent, permissions={"read_files": "allowed"}
    )
    publish_agent(paid_desk.caller, agent=agent)
    good = make_file(paid_desk.caller, paid_desk.card, name="plan.pdf", content=make_pdf("Oven by Friday"))
    make_file(
        paid_desk.caller, paid_desk.card, name="locked.pdf", content=protect(make_pdf("Vault"), user_password="sesame")
    )
    make_file(paid_desk.caller, paid_desk.card, name="broken.pdf", content=b"%PDF-1.7 secret")
    turn = paid_desk.queue()

    run_turn(turn.pk)

    message = json.loads(service.calls[0].body)["messages"][0]["content"]
    kept = Turn.objects.get(pk=turn.pk)
    part = next(part for part in kept.prompt["parts"] if part["kind"] == "file")
    assert kept.state == TurnState.DONE
    assert "Oven by Friday" in message
    assert (part["id"], part["sha256"], part["is_clipped"]) == (str(good.pk), good.sha256, False)
    assert "bytes): it is protected by a password" in message
    assert "broken.pdf (application/pdf, 15 bytes): it could not be read" in message
    assert "Vault" not in message
