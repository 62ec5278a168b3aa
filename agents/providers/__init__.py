"""The providers, by the word an account is kept under."""

from __future__ import annotations

from agents import states
from agents.providers.anthropic import Anthropic
from agents.providers.base import Provider
from agents.providers.openai import OpenAi
from agents.providers.openai_compatible import OpenAiCompatible

KINDS: dict[str, Provider] = {
    states.Provider.ANTHROPIC: Anthropic(),
    states.Provider.OPENAI: OpenAi(),
    states.Provider.OPENAI_COMPATIBLE: OpenAiCompatible(),
}
