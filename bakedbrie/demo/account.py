"""Which AI account the demo uses: a provider key from the environment, else the small model on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class DemoAccount:
    """What `connect_ai_account` needs, and how to speak about it. The key is shown in no repr."""

    label: str
    provider: str
    key: str = field(repr=False)
    note: str
    variable: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        return not self.variable

    @property
    def way_out(self) -> str:
        """What to do when this account cannot be used; nothing for the local model."""
        return f"Unset {self.variable} and run `make demo` again to use the local model." if self.variable else ""


def choose_account(environment: Mapping[str, str] = os.environ) -> DemoAccount | None:
    """Return the account to use, or None when there is neither a key nor a local model."""
    if key := environment.get("ANTHROPIC_API_KEY"):
        return DemoAccount("Anthropic", "anthropic", key, "Your Anthropic key pays for this turn.", "ANTHROPIC_API_KEY")
    if key := environment.get("OPENAI_API_KEY"):
        return DemoAccount("OpenAI", "openai", key, "Your OpenAI key pays for this turn.", "OPENAI_API_KEY")
    if base_url := environment.get("DEMO_MODEL_BASE_URL"):
        return DemoAccount(
            "Small local model",
            "openai_compatible",
            environment["DEMO_MODEL_KEY"],
            "A small model on this machine writes this (135 million parameters). It proves that the work flows, and it "
            "writes like a small model: expect plain and sometimes wrong sentences. Set ANTHROPIC_API_KEY or "
            "OPENAI_API_KEY to see a large one.",
            settings={
                "base_url": base_url,
                "model": environment["DEMO_MODEL_NAME"],
                "context_tokens": 4096,
                "answer_tokens": 300,
            },
        )
    return None
