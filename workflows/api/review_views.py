"""Reviews over REST: list them, read one as it is now, and decide on exactly that."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import page
from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from reviews.access import get_review
from reviews.inputs import DecisionIn, ListReviewsIn
from reviews.selectors.reviews import list_reviews
from reviews.serializers import ReviewRowSerializer
from reviews.states import Door, Verdict
from workflows.selectors.shown_reviews import read_review
from workflows.serializers import ShownReviewSerializer
from workflows.services.reviewing import decide_review
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class ReviewsView(CallerView):
    @Operation(
        "List reviews in one state, newest first",
        query=ListReviewsIn,
        answer={"reviews": ReviewRowSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        given = parse_query(ListReviewsIn, request.query_params.dict())
        require_capability(self.caller, "reviews")
        board = get_board(self.caller, given.board_id) if given.board_id is not None else None
        reviews = list_reviews(self.caller, board=board, state=given.state)
        found = page(reviews, cursor=given.cursor, limit=given.limit, order=("-id",))
        shown = show_rows(ReviewRowSerializer(), found.items)
        return self.answer({"reviews": shown, "next_cursor": found.next_cursor})


class ReviewView(CallerView):
    """An open review is shown with its content and what follows as they are now, and the hash to decide with."""

    @Operation("Read a review", answer={"review": ShownReviewSerializer()})
    def get(self, request: Request, review_id: str) -> Response:
        require_capability(self.caller, "reviews")
        shown = read_review(self.caller, get_review(self.caller, review_id))
        return self.answer({"review": ShownReviewSerializer(shown).data})


class DecideReviewView(CallerView):
    """A person's decision: send it only on their word, for exactly what they were shown."""

    @Operation("Decide on a review, once", body=DecisionIn, answer={"review": ReviewRowSerializer()})
    def post(self, request: Request, review_id: str) -> Response:
        given = parse(DecisionIn, request.data)
        return self.once(lambda: self._decide(review_id, given), effect=Effect.SEND, body=given.model_dump())

    def _decide(self, review_id: str, given: DecisionIn) -> Answer:
        require_capability(self.caller, "reviews")
        review = get_review(self.caller, review_id)
        decide_review(
            self.caller,
            review=review,
            intent_hash=given.intent_hash,
            decision=Verdict(given.decision),
            note=given.note,
            door=Door.REST,
        )
        return {"review": ReviewRowSerializer(get_review(self.caller, review.pk)).data}
