"""States of destinations and deliveries, and the codes of what came of a delivery."""

from __future__ import annotations

from enum import StrEnum

from bakedbrie.lib.states import CallState

DELIVERING = "DELIVERING"  # the reason a card shows while its result is on its way
StepState = CallState  # a file is sent outside at most once in a try


class DestinationKind(StrEnum):
    """What a destination is. ``s3`` is a bucket of S3, R2 or a compatible service."""

    S3 = "s3"


class DestinationState(StrEnum):
    """``failing`` still takes deliveries, and a delivery or check that goes well mends it; ``off`` is for good."""

    ON = "on"
    FAILING = "failing"
    OFF = "off"


class DeliveryState(StrEnum):
    """``unknown``: a file left, and no answer was kept."""

    PENDING = "pending"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    UNKNOWN = "unknown"


OPEN = frozenset({DeliveryState.PENDING, DeliveryState.SENDING})
ENDED = frozenset(DeliveryState) - OPEN
AGAIN = ENDED - {DeliveryState.DELIVERED}  # a person may begin it again


class Cause(StrEnum):
    """Why it was delivered: a person approved it, its round came to Done, or a person moved it there."""

    REVIEW = "review"
    FINISH = "finish"
    MOVE = "move"


class DeliveryCode(StrEnum):
    """Kept on deliveries, their files and destinations: values never change. DONE is the empty code of success.

    An answer that has no code of its own is ``HTTP_`` and its status.
    """

    DONE = ""
    AUTH_FAILED = "DESTINATION_AUTH_FAILED"
    DISABLED = "DESTINATION_DISABLED"
    CHANGED = "DESTINATION_CHANGED"
    TURNED_OFF = "CAPABILITY_OFF"
    CARD_TRASHED = "CARD_TRASHED"
    BOARD_ARCHIVED = "BOARD_ARCHIVED"
    BUCKET_NOT_FOUND = "BUCKET_NOT_FOUND"
    BUCKET_ELSEWHERE = "BUCKET_ELSEWHERE"
    PATH_TAKEN = "PATH_TAKEN"
    CONTENT_GONE = "CONTENT_GONE"
    KEY_UNUSABLE = "DESTINATION_KEY_UNUSABLE"
    RATE_LIMITED = "RATE_LIMITED"
    UNAVAILABLE = "API_UNAVAILABLE"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"


# What says that the destination itself is not well, rather than this one delivery.
TELLS_OF_DESTINATION = frozenset(
    {
        DeliveryCode.AUTH_FAILED,
        DeliveryCode.BUCKET_NOT_FOUND,
        DeliveryCode.BUCKET_ELSEWHERE,
        DeliveryCode.KEY_UNUSABLE,
        DeliveryCode.RATE_LIMITED,
        DeliveryCode.UNAVAILABLE,
        DeliveryCode.OUTCOME_UNKNOWN,
    }
)
