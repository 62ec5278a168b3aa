"""What a decision is bound to: exactly these bytes under these names, in this round, and what happens next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bakedbrie.lib.hashing import canonical_hash
from boards.contents import Content
from reviews.models import Review


def intent_of(review: Review, contents: Sequence[Content], following: Mapping[str, Any]) -> str:
    """Return the hash of a review with what it is about and what an approval would lead to, as JSON."""
    return canonical_hash(
        "review",
        {
            "review": str(review.pk),
            "card": str(review.card_id),
            "round": review.n,
            "files": [
                {"name": one.name, "media_type": one.media_type, "bytes": one.bytes, "sha256": one.sha256}
                for one in contents
            ],
            "next": dict(following),
        },
    )
