"""The demo's own S3 server: where it answers, and whether it is installed. Its bucket is a folder on disk."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from bakedbrie.embedded.ports import LOOPBACK

FIRST_PORT = 8200
NAME = "finished-work"
ACCESS_KEY_ID = "bakedbrie-demo"
PACKAGES = ("nanio", "aiofiles", "defusedxml")


@dataclass(frozen=True, slots=True)
class LocalBucket:
    port: int

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    @property
    def endpoint(self) -> str:
        return f"http://{self.address}"


def is_installed() -> bool:
    return all(find_spec(package) for package in PACKAGES)
