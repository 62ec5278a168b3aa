"""What the demo prints can be pasted, and says why a card was not finished."""

from __future__ import annotations

import io
import json
import tomllib
from pathlib import Path
from typing import Any

from bakedbrie.demo.account import choose_account
from bakedbrie.demo.progress import Progress
from bakedbrie.demo.report import (
    card_report,
    connection_report,
    delivery_report,
    failure_report,
    review_report,
    stopped_report,
)


def turn(state: str, **more: Any) -> dict[str, Any]:
    known = {"input_tokens": 800, "output_tokens": 37, "cost_micros": 1_200, "code": "", "reason": "", "message": ""}
    return {"agent": "Update writer", "state": state, **known, **more}


def card(*turns: dict[str, Any]) -> dict[str, Any]:
    return {"title": "A card", "result": None, "history": {"events": []}, "turns": list(turns)}


def between(lines: list[str], first: str, last: str) -> str:
    begin = lines.index(first) + 1
    return "\n".join(lines[begin : lines.index(last, begin)])


def test_the_blocks_for_codex_and_cursor_are_what_their_files_take() -> None:
    lines = list(connection_report("http://127.0.0.1:8000", "bb_token", "/link", "/boards/1/"))

    codex = tomllib.loads(between(lines, "and in ~/.codex/config.toml:", "Cursor, in .cursor/mcp.json:"))
    cursor = json.loads(between(lines, "Cursor, in .cursor/mcp.json:", lines[-1]))

    assert codex["mcp_servers"]["bakedbrie"] == {
        "url": "http://127.0.0.1:8000/mcp",
        "bearer_token_env_var": "BAKEDBRIE_TOKEN",
    }
    assert cursor["mcpServers"]["bakedbrie"]["headers"] == {"Authorization": "Bearer bb_token"}
    assert "export BAKEDBRIE_TOKEN=bb_token" in lines


def test_a_demo_that_ends_by_itself_names_no_address() -> None:
    text = "\n".join(stopped_report())

    assert "http" not in text
    assert "make demo" in text


def test_usage_is_summed_over_the_turns_of_the_card() -> None:
    told = list(card_report(card(turn("done"), turn("failed", cost_micros=300))))

    assert told[-1] == "Used      1,600 tokens in, 74 out in 2 turns; cost $0.0015"


def test_usage_that_is_not_known_is_not_made_up() -> None:
    told = list(card_report(card(turn("done"), turn("unknown", output_tokens=None, cost_micros=None))))

    assert told[-1] == (
        "Used      1,600 tokens in, at least 37 out in 2 turns; cost unknown: no price is known for this model"
    )


def test_a_failure_is_told_with_its_code_and_fix() -> None:
    failed = turn("failed", code="AI_CUT_SHORT", message="The answer was too long. Ask for less.")

    assert list(failure_report(card(failed, turn("done")))) == [
        "Not done  AI_CUT_SHORT: The answer was too long. Ask for less."
    ]


def test_progress_names_who_is_at_work_and_repeats_itself_rarely() -> None:
    out = io.StringIO()
    progress = Progress(out)

    for waited_s, state in [(0.0, "queued"), (0.4, "queued"), (0.9, "sending"), (5.0, "sending"), (10.2, "sending")]:
        progress.tick(waited_s, turn(state))

    assert out.getvalue().splitlines() == [
        "Update writer waits for a worker … 0 s",
        "Update writer is writing … 1 s",
        "Update writer is writing … 10 s",
    ]


def test_a_provider_key_names_its_variable_and_the_local_model_none() -> None:
    paid = choose_account({"OPENAI_API_KEY": "sk-1"})
    local = choose_account(
        {"DEMO_MODEL_BASE_URL": "http://127.0.0.1:8100/v1", "DEMO_MODEL_KEY": "k", "DEMO_MODEL_NAME": "m"}
    )

    assert paid is not None
    assert local is not None
    assert (paid.is_local, "OPENAI_API_KEY" in paid.way_out) == (False, True)
    assert (local.is_local, local.way_out) == (True, "")


def test_the_receipt_of_a_delivery_names_key_hash_and_file() -> None:
    file = {"path": "updates/a.md", "bytes": 12, "sha256": "ab" * 32, "http_status": 200, "state": "done"}
    delivery = {"destination": "Finished work", "state": "delivered", "code": "", "files": [file]}

    assert list(delivery_report(delivery, Path("/data/buckets/finished-work"))) == [
        "",
        "Delivered to Finished work: delivered",
        "    updates/a.md",
        "    12 bytes, sha256 abababababababab…, answered 200",
        "    on disk: /data/buckets/finished-work/updates/a.md",
    ]


def test_a_review_is_left_to_the_person_with_its_page_and_what_follows() -> None:
    review = {"id": "r1", "sentences": ["It goes to Finished work."], "intent_hash": "abc"}

    told = list(review_report(review, "http://127.0.0.1:8000", decides=False))

    assert "Review    http://127.0.0.1:8000/reviews/r1/" in told
    assert "    It goes to Finished work." in told
    assert "press Approve" in told[-1]
