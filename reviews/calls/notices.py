"""Mail that something waits for a decision. It holds a link to the page, and decides nothing.

A notice goes to each person by itself, and is not sent again: whoever gets none sees the review on the home page.
"""

from __future__ import annotations

import logging
import smtplib
import uuid

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from reviews.models import Review
from reviews.selectors.notices import people_to_tell
from reviews.services.notices import claim_notice

logger = logging.getLogger(__name__)

TIMEOUT_S = 20
PATH = "/reviews/"  # of the page, which is of an app above
CHOICE = "/account/#mail"  # where its reader turns this mail off


def send_notice(review_id: uuid.UUID) -> int:
    """Tell those who may decide on an open review, once, and return how many were told.

    Does nothing where no mail server is set, or when another process was first. What a server does not take is logged
    without the address, and the others are told all the same.
    """
    if not settings.EMAIL_HOST:
        return 0
    review = claim_notice(review_id)
    if review is None:
        return 0
    return sum(_send(review, address) for address in people_to_tell(review))


def _send(review: Review, address: str) -> bool:
    link = f"{settings.APP_URL}{PATH}{review.pk}/"
    title = " ".join(review.card.title.split())
    message = EmailMessage(
        subject=f"Review: {title}"[:200],
        body=(
            f"{review.turn.agent.name} finished “{title}” on the board “{review.board.name}”, and it waits for a "
            f"decision.\n\nLook at it and decide:\n{link}\n\nThe link opens the page and decides nothing. Nothing "
            "leaves before somebody approves it.\n\nTo get no more mail of this kind, open your account:\n"
            f"{settings.APP_URL}{CHOICE}\n"
        ),
        to=[address],
        connection=get_connection(timeout=TIMEOUT_S),
    )
    try:
        return bool(message.send())
    except (OSError, smtplib.SMTPException, ValueError) as error:
        logger.warning("A notice was not sent", extra={"review": review.pk, "why": type(error).__name__})
        return False
