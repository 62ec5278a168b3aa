"""Looking at a card file: its preview, the bytes that a preview shows, and taking it off the card."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib.toolkit.inputs import Id, Input
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.downloads import download
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page
from bakedbrie.lib.web.inline import SHOWN, Content, show
from boards.access import get_file
from boards.models import CardFile
from boards.selectors.cards import neighbours_of
from boards.services.files import open_bytes, remove_file
from boards.services.previews import preview_of
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


class RemoveFileIn(Input):
    file_id: Id


@require_safe
@member_page
def preview(request: HttpRequest, caller: Caller, file_id: str) -> HttpResponse:
    """Show the file in the dialog of its card, or on a page of its own."""
    file = get_file(caller, file_id)
    before, after = neighbours_of(file)
    context = {
        "file": file,
        "card": file.card,
        "preview": preview_of(file),
        "before": before,
        "after": after,
        "is_dialog": is_htmx(request),
    }
    return partial_or_page(request, "boards/_preview.html", "boards/preview_page.html", context)


@require_safe
@member_page
def content(request: HttpRequest, caller: Caller, file_id: str) -> HttpResponseBase:
    """Answer with the bytes, for a picture, a player or the browser's PDF viewer; what no page shows is a download."""
    file = get_file(caller, file_id)
    stream = open_bytes(file)
    if file.media_type not in SHOWN:
        return download(stream, name=file.name, media_type=file.media_type, length=file.bytes)
    return show(
        request,
        Content(stream=stream, name=file.name, media_type=file.media_type, length=file.bytes, tag=file.sha256),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def remove(request: HttpRequest, caller: Caller, file_id: str) -> HttpResponse:
    """GET asks, POST takes the file off its card."""
    file = get_file(caller, file_id)
    require_writer(caller)
    question = _question(file)

    def run(_: RemoveFileIn) -> Answer:
        remove_file(caller, file=file)
        return {"file_id": str(file.pk), "removed": True}

    def act() -> None:
        submit(request, caller, name="remove_file", model=RemoveFileIn, given={"file_id": str(file.pk)}, run=run)

    return asked(request, question, act, f"“{file.name}” was removed.")


def _question(file: CardFile) -> Question:
    return Question(
        name="remove-file",
        of=str(file.pk),
        title=f"Remove “{file.name}”?",
        text="It leaves the card, and its content is deleted. The history keeps its name. This cannot be undone.",
        button="Remove file",
        back=("card", str(file.card_id)),
        back_name=file.card.title,
    )
