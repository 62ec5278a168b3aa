"""What the card page is made of. A part of the page is a line here, a template, and what the template is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from agents.selectors import open_approval_of
from bakedbrie.lib.web.forms import Form
from boards.access import is_manager
from boards.models import Card
from boards.previews import has_thumbnail
from boards.selectors.cards import COMMENTS_SHOWN, list_comments
from boards.services.files import MOST_FILES
from boards.states import Badge, EventKind
from destinations.models import Delivery
from destinations.receipts import message_of, newest_files
from destinations.selectors.deliveries import deliveries_of, elsewhere_of
from destinations.selectors.destinations import destination_of, override_of
from destinations.states import DeliveryState, DestinationState
from reviews.access import get_review
from reviews.selectors.reviews import notes_of, open_review_of
from workflows.selectors.cards import TURNS_SHOWN, CardPage
from workflows.selectors.history import Part, part_of
from workflows.selectors.shown_reviews import cannot_approve
from workflows.selectors.story import sentence_of
from workflows.services.redelivering import refusal_elsewhere
from workflows.web.card_form import card_form, owner_choices, seen_of
from workflows.web.card_view import CardView
from workflows.web.shown_turns import shown_turns, spent_on
from workspaces.caller import Caller

_STORY_NAMES = (
    ("", "All"),
    (Part.DECISIONS, "Decisions and moves"),
    (Part.AGENTS, "Agent work"),
    (Part.COMMENTS, "Comments"),
    (Part.FILES, "Files"),
)
_MARK_MOST = 4
DELIVERIES_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A card as somebody looks at it. ``may_write`` where its forms are offered."""

    request: HttpRequest
    caller: Caller
    card: Card
    page: CardPage
    view: CardView
    may_write: bool


@dataclass(frozen=True, kw_only=True)
class Section:
    """``context`` is merged into the page's; its names must be its own. ``forms`` are the names of its forms."""

    template: str
    context: Callable[[Shown], Mapping[str, Any]] = lambda _: {}
    forms: tuple[str, ...] = ()


def _title(shown: Shown) -> Mapping[str, Any]:
    card = shown.card
    owners = owner_choices(shown.caller, card) if shown.may_write else []
    return {"seen": seen_of(card), "owners": owners, "edit_form": card_form(card)}


def _result(shown: Shown) -> Mapping[str, Any]:
    results = shown.page.results
    links = [
        {"result": result, "address": shown.view.address(shown.card, result="" if n == 0 else str(result.pk))}
        for n, result in enumerate(results)
    ]
    return {"result": shown.view.chosen(results), "results": links}


def _review(shown: Shown) -> Mapping[str, Any]:
    is_in_review = shown.card.badge == Badge.IN_REVIEW and "reviews" in shown.caller.capabilities
    waiting = open_review_of(shown.card) if is_in_review else None
    if waiting is None:
        return {"open_review": None}
    may_approve = shown.may_write and not cannot_approve(shown.caller, get_review(shown.caller, waiting.pk))
    return {"open_review": waiting, "may_approve": may_approve}


def _state(shown: Shown) -> Mapping[str, Any]:
    """With where it goes when it is finished, in a workspace that has destinations."""
    if "destinations" not in shown.caller.capabilities:
        return {"shows_destination": False}
    own = override_of(shown.card)
    return {
        "shows_destination": True,
        "goes_to": own or destination_of(shown.card),
        "is_own_destination": own is not None,
        "manages_destination": shown.may_write and is_manager(shown.caller, shown.card.board),
    }


def _asked(shown: Shown) -> Mapping[str, Any]:
    return {"asked": open_approval_of(shown.card) if "agents" in shown.caller.capabilities else None}


def _deliveries(shown: Shown) -> Mapping[str, Any]:
    if "destinations" not in shown.caller.capabilities:
        return {"deliveries": []}
    found = list(deliveries_of(shown.card)[: DELIVERIES_SHOWN + 1])
    return {
        "deliveries": [_delivery(one, shown) for one in found[:DELIVERIES_SHOWN]],
        "has_more_deliveries": len(found) > DELIVERIES_SHOWN,
    }


def _delivery(delivery: Delivery, shown: Shown) -> Mapping[str, Any]:
    """Return a delivery with its receipt: what became of each file. Only one that ended badly can be begun again, where
    its destination leads now, and at another place than the approved one only by who may approve."""
    files = newest_files(delivery.steps.all())
    ended_badly = delivery.state in {DeliveryState.FAILED, DeliveryState.UNKNOWN}
    is_on = delivery.destination.state != DestinationState.OFF
    elsewhere = elsewhere_of(delivery, shown.card) if shown.may_write and ended_badly else None
    return {
        "delivery": delivery,
        "files": files,
        "message": message_of(delivery.code),
        "may_redeliver": shown.may_write and ended_badly and is_on,
        "elsewhere": elsewhere,
        "cannot_deliver_there": refusal_elsewhere(shown.caller, delivery, shown.card) if elsewhere else None,
    }


def _turns(shown: Shown) -> Mapping[str, Any]:
    turns = shown_turns(shown.page, may_write=shown.may_write)
    return {"turns": turns, "spent": spent_on(turns), "most_turns": TURNS_SHOWN}


def _files(shown: Shown) -> Mapping[str, Any]:
    files = [
        {"file": file, "mark": _mark(file.name), "has_thumbnail": has_thumbnail(file)} for file in shown.page.files
    ]
    room = MOST_FILES - len(files)
    return {"files": files, "most_bytes": settings.FILES_MAX_BYTES, "most_files": MOST_FILES, "file_room": room}


def _mark(name: str) -> str:
    """Return the few letters that stand for a file without a thumbnail."""
    stem, _, ending = name.rpartition(".")
    return ending.upper() if stem and len(ending) <= _MARK_MOST else "FILE"


def _comments(shown: Shown) -> Mapping[str, Any]:
    """One page, in the order in which they were written."""
    found = list_comments(shown.card, cursor=shown.view.comments_from or None, limit=COMMENTS_SHOWN)
    earlier = shown.view.address(shown.card, comments_from=found.next_cursor) if found.next_cursor else ""
    return {
        "comments": found.items[::-1],
        "earlier_comments": earlier,
        "newest_comments": shown.view.address(shown.card, comments_from="") if shown.view.comments_from else "",
    }


def _history(shown: Shown) -> Mapping[str, Any]:
    view, history = shown.view, shown.page.history
    notes = notes_of(event.data.get("review") for event in history.items if event.kind == EventKind.REVIEW_DECIDED)
    story = [
        {
            "text": sentence_of(event),
            "note": notes.get(event.data.get("review"), "") if event.kind == EventKind.REVIEW_DECIDED else "",
            "at": event.created_at,
            "day": timezone.localtime(event.created_at).date(),
            "part": part_of(event) or "",
        }
        for event in history.items
    ]
    older = view.address(shown.card, story_from=history.next_cursor) if history.next_cursor else ""
    return {
        "story": story,
        "older_story": older,
        "newest_story": view.address(shown.card, story_from="") if view.story_from else "",
        "story_parts": [
            {
                "name": name,
                "key": value or "all",
                "address": view.address(shown.card, story=value, story_from=""),
                "is_chosen": (view.part or "") == value,
            }
            for value, name in _STORY_NAMES
        ],
    }


# The main column begins with FIRST and ends with LAST; on a narrow screen BESIDE stands between them.
FIRST = (
    Section(template="workflows/_in_review.html", context=_review),
    Section(template="workflows/_asked.html", context=_asked),
    Section(template="workflows/_card_title.html", context=_title, forms=("edit_form",)),
    Section(template="workflows/_result.html", context=_result),
)
BESIDE = (
    Section(template="workflows/_state.html", context=_state),
    Section(template="workflows/_turns.html", context=_turns, forms=("turn_form",)),
    Section(template="workflows/_deliveries.html", context=_deliveries, forms=("delivery_form",)),
    Section(template="workflows/_files.html", context=_files, forms=("file_form",)),
)
LAST = (
    Section(template="workflows/_comments.html", context=_comments, forms=("comment_form",)),
    Section(template="workflows/_history.html", context=_history),
)


def context_of(shown: Shown) -> dict[str, Any]:
    """Return what the templates of all sections are given."""
    context: dict[str, Any] = {"first": FIRST, "beside": BESIDE, "last": LAST}
    for section in (*FIRST, *BESIDE, *LAST):
        context |= {name: Form() for name in section.forms}
        context |= section.context(shown)
    return context
