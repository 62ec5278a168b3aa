"""Notices of reviews: whose mail is whose to send."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db.models.functions import Now

from bakedbrie.lib.jobs import Job, poke
from reviews.models import Review
from reviews.states import ReviewState


def claim_notice(review_id: uuid.UUID) -> Review | None:
    """Return an open review that nobody was told of yet, for the caller to tell; None when somebody was first."""
    untold = Review.objects.filter(pk=review_id, state=ReviewState.OPEN, noticed_at__isnull=True)
    if not untold.update(noticed_at=Now()):
        return None
    parts = ("board__workspace", "card", "turn__agent", "maker", "iteration")
    return Review.objects.select_related(*parts).get(pk=review_id)


def ring_for_notice(review: Review) -> None:
    """Have people told of a review that was just opened, where mail is set up."""
    if settings.EMAIL_HOST:
        poke(Job.REVIEW_NOTICE, review.pk)
