"""One output of a card: a result, a file, or something that was reviewed, under the name it goes by."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import card_files_of, card_results_of
from boards.contents import Content, file_content, open_for_reader, result_content
from boards.models import Card, CardFile, Result
from reviews.access import reviewed_files_of
from workflows.refusals import OUTPUT_NEEDS_LINK
from workspaces.access import require_capability
from workspaces.caller import Caller

SOURCE_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Output:
    """``thing`` is what the content is of; ``content`` names it."""

    card: Card
    thing: Result | CardFile
    content: Content = field(repr=False)


def get_output(caller: Caller, output_id: object) -> Output:
    """Return an output on a card the caller may open, while files are on: at most three queries.

    Its id is that of a result, of a file that is on its card, or, while reviews are on, of something reviewed.
    """
    require_capability(caller, "media")
    pk = ids.parse_id(output_id)
    found = card_results_of(caller).filter(pk=pk).first() or card_files_of(caller).filter(pk=pk).first()
    if found is None and "reviews" in caller.capabilities:
        reviewed = reviewed_files_of(caller).filter(pk=pk).first()
        found = (reviewed.result or reviewed.file) if reviewed is not None else None
    if isinstance(found, Result):
        return Output(card=found.card, thing=found, content=result_content(found.card, found))
    if found is None or found.removed_at is not None:
        raise NOT_FOUND()
    return Output(card=found.card, thing=found, content=file_content(found))


def source_of(output: Output) -> str:
    """Return the text, byte for byte as it is; refuse what is none, or more than `SOURCE_BYTES`."""
    content = output.content
    if not content.media_type.startswith("text/") or content.bytes > SOURCE_BYTES:
        raise OUTPUT_NEEDS_LINK(media_type=content.media_type, bytes=content.bytes, most_bytes=SOURCE_BYTES)
    with open_for_reader(content) as stream:
        data = stream.read(SOURCE_BYTES + 1)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise OUTPUT_NEEDS_LINK(media_type=content.media_type, bytes=content.bytes, most_bytes=SOURCE_BYTES) from None
