"""What a turn works from: the card, what was said on it, its files and its earlier result, read as they are now."""

from __future__ import annotations

from collections.abc import Iterator

from agents.models import Turn
from agents.prompt import Sections, Source
from agents.providers.base import storable
from agents.rules import may
from bakedbrie.lib import storage
from boards.models import CardFile, Comment, Result

COMMENTS_READ = 50
FILES_READ = 30
FILE_BYTES = 400_000
TEXT_TYPES = frozenset({"text/csv", "text/markdown", "text/plain", "text/tab-separated-values", "application/json"})
NO_FILES = "You may not read the files of the card."


def gather(turn: Turn) -> Sections:
    """Read everything the agent may read. Files only with read_files allowed; of the others only name and type."""
    version, card = turn.version, turn.card
    sources = [_card(turn), *_earlier_result(turn), *_comments(turn)]
    may_read = may(version.permissions, "read_files")
    if may_read:
        sources += _files(turn)
    return Sections(
        agent=version.name,
        board=card.board.name,
        instructions=version.instructions,
        guidelines=card.board.guidelines,
        sources=sources,
        remarks=() if may_read else (NO_FILES,),
        salt=str(turn.pk),
    )


def trusted_parts(turn: Turn) -> list[dict[str, object]]:
    """Return what the turn keeps of the texts that the board's people set up."""
    version, board = turn.version, turn.card.board
    parts: list[dict[str, object]] = [
        {
            "kind": "instructions",
            "id": str(version.pk),
            "version": version.n,
            "sent_bytes": len(version.instructions.encode()),
        }
    ]
    if board.guidelines:
        size = len(board.guidelines.encode())
        parts.append({"kind": "guidelines", "id": str(board.pk), "revision": board.revision, "sent_bytes": size})
    return parts


def _card(turn: Turn) -> Source:
    card = turn.card
    return Source(
        kind="card",
        title="what is wanted",
        text=f"{card.title}\n\n{card.brief}".strip(),
        record={"id": str(card.pk), "revision": card.revision},
    )


def _earlier_result(turn: Turn) -> Iterator[Source]:
    result = Result.objects.filter(card=turn.card_id).order_by("-pk").first()
    if result is not None:
        yield Source(
            kind="result",
            title="the result so far",
            text=result.markdown,
            record={"id": str(result.pk), "sha256": result.sha256},
        )


def _comments(turn: Turn) -> Iterator[Source]:
    newest = Comment.objects.filter(card=turn.card_id).select_related("author").order_by("-pk")[:COMMENTS_READ]
    comments = list(reversed(newest))
    if comments:
        yield Source(
            kind="comments",
            title="said on the card, the newest last",
            text="\n\n".join(f"{comment.author.name}: {comment.text}" for comment in comments),
            record={"ids": [str(comment.pk) for comment in comments]},
            keeps_end=True,
        )


def _files(turn: Turn) -> Iterator[Source]:
    """Yield the text of text files, then one list of the other ones."""
    files = list(CardFile.objects.filter(card=turn.card_id, removed_at__isnull=True).order_by("pk"))
    readable = [file for file in files if file.media_type in TEXT_TYPES][:FILES_READ]
    others = [file for file in files if file not in readable]
    for file in readable:
        source = _text_file(file)
        if source is None:
            others.append(file)
        else:
            yield source
    if others:
        lines = [f"{file.name} ({file.media_type}, {file.bytes} bytes)" for file in others]
        record: dict[str, object] = {"ids": [str(file.pk) for file in others]}
        title = "more files of the card, by name only"
        yield Source(kind="files", title=title, text="\n".join(lines), record=record, rank=1)


def _text_file(file: CardFile) -> Source | None:
    """Return the beginning of a file, or None when it was removed meanwhile."""
    try:
        with storage.open_file(file.storage_key) as stream:
            raw = stream.read(FILE_BYTES)
    except FileNotFoundError:
        return None
    return Source(
        kind="file",
        title=file.name,
        text=storable(raw.decode("utf-8-sig", "replace")),
        record={"id": str(file.pk), "sha256": file.sha256, "bytes": file.bytes},
        rank=1,
        is_cut=file.bytes > FILE_BYTES,
    )
