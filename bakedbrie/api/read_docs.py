"""read_docs: the documents for users, for assistants."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from bakedbrie.lib.documents import Document, Hit, Section, library
from bakedbrie.lib.refusals import INVALID_INPUT, Refused
from bakedbrie.lib.toolkit.inputs import Input
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from workspaces.caller import Caller

MOST_CHARACTERS = 16_000
MOST_HITS = 10


class ReadDocsIn(Input):
    query: Annotated[str, Field(max_length=200, description="Words to look for in all pages.")] | None = None
    page: Annotated[str, Field(max_length=60, description="The page to read, as listed.")] | None = None
    section: Annotated[str, Field(max_length=120, description="The section of the page to read.")] | None = None

    @model_validator(mode="after")
    def _check_choice(self) -> ReadDocsIn:
        if self.query is not None and self.page is not None:
            raise ValueError("query: give a query or a page, not both")
        if self.section is not None and self.page is None:
            raise ValueError("page: needed with section")
        return self


def read_docs(caller: Caller, given: ReadDocsIn) -> Answer:
    if given.query is not None:
        return {"results": [_hit(hit) for hit in library().search(given.query, MOST_HITS)]}
    if given.page is None:
        return {"pages": [_page(document) for document in library().documents.values()]}
    document = library().documents.get(given.page)
    if document is None:
        raise _unknown("page", list(library().documents))
    if given.section is None:
        return {**_page(document), **_whole(document), "sections": [_section(one) for one in document.sections]}
    section = document.section(given.section)
    if section is None:
        raise _unknown("section", [one.anchor for one in document.sections])
    return {"page": document.name, **_section(section), "text": document.text_of(section)}


def _page(document: Document) -> dict[str, str]:
    return {"page": document.name, "title": document.title, "about": document.about}


def _whole(document: Document) -> dict[str, object]:
    """A page too long for one answer is opened only, and read on by its sections."""
    fits = len(document.text) <= MOST_CHARACTERS
    return {"text": document.text if fits else document.opening, "is_whole": fits}


def _section(section: Section) -> dict[str, str]:
    return {"section": section.anchor, "heading": section.title}


def _hit(hit: Hit) -> dict[str, object]:
    where = _section(hit.section) if hit.section else {}
    return {"page": hit.document.name, "title": hit.document.title, **where, "excerpt": hit.plain}


def _unknown(field: str, choices: list[str]) -> Refused:
    return INVALID_INPUT(fields={field: [f"there is none of this name; there are: {', '.join(choices)}"]})


TOOL: Tool[Caller] = Tool(
    name="read_docs",
    title="Read the documents",
    description=(
        "How BakedBrie works, for users: concepts, what tools take, what codes of refusals mean, how to connect and "
        "run it. Without arguments it lists the pages; query finds places; page reads one, with section only that part."
    ),
    input=ReadDocsIn,
    handler=read_docs,
    effect=Effect.READ,
    capabilities=("control",),
)
