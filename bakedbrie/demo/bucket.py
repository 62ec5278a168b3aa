"""The bucket that the demo delivers to: the small S3 server that `make demo` runs beside BakedBrie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class DemoBucket:
    """What `manage_destination` needs, and the folder on disk in which the delivered file lies."""

    endpoint: str
    name: str
    access_key_id: str
    secret: str = field(repr=False)
    folder: Path

    @property
    def config(self) -> dict[str, str]:
        place = {"endpoint": self.endpoint, "bucket": self.name, "region": "us-east-1"}
        return {**place, "access_key_id": self.access_key_id}


def choose_bucket(environment: Mapping[str, str] = os.environ) -> DemoBucket | None:
    """Return the bucket, or None where the demo runs without one."""
    endpoint = environment.get("DEMO_BUCKET_ENDPOINT")
    if not endpoint:
        return None
    return DemoBucket(
        endpoint=endpoint,
        name=environment["DEMO_BUCKET_NAME"],
        access_key_id=environment["DEMO_BUCKET_KEY_ID"],
        secret=environment["DEMO_BUCKET_KEY"],
        folder=Path(environment["DEMO_BUCKET_FOLDER"]),
    )
