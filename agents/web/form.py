"""The form that writes an agent's draft: what it starts with, what was typed, and the matrix of what it may do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import QueryDict

from agents.models import Agent, AgentVersion
from agents.rules import AREAS, MOST_TURNS, OUTWARD, USED, full_permissions
from bakedbrie.lib.web import words
from bakedbrie.lib.web.forms import Form

_PREFIX = "may_"
_MOST_DIGITS = 9


@dataclass(frozen=True, kw_only=True)
class AreaRow:
    """One line of the matrix. ``is_used`` tells whether giving it changes anything in this version."""

    area: str
    label: str
    covers: str
    verdict: str
    is_outward: bool
    is_used: bool
    problems: list[str]

    @property
    def name(self) -> str:
        return _PREFIX + self.area

    @property
    def verdict_label(self) -> str:
        return words.VERDICTS.get(self.verdict, self.verdict)

    @property
    def choices(self) -> list[tuple[str, str]]:
        return list(words.VERDICTS.items())


def area_rows(permissions: Mapping[str, str], errors: Mapping[str, list[str]] | None = None) -> list[AreaRow]:
    """Return all eight areas with what is chosen for each."""
    full = full_permissions(permissions)
    return [
        AreaRow(
            area=area,
            label=words.AREAS[area][0],
            covers=words.AREAS[area][1],
            verdict=full[area],
            is_outward=area in OUTWARD,
            is_used=area in USED,
            problems=(errors or {}).get(f"permissions.{area}", []),
        )
        for area in AREAS
    ]


def form_of(version: AgentVersion | None) -> Form:
    """Return the form with what a version says, or as it is for a new agent."""
    if version is None:
        return Form(values={"name": "", "instructions": "", "max_turns": str(MOST_TURNS)})
    permissions = {_PREFIX + area: verdict for area, verdict in full_permissions(version.permissions).items()}
    values = {"name": version.name, "instructions": version.instructions, "max_turns": str(version.max_turns)}
    return Form(values={**values, **permissions})


def typed_in(sent: QueryDict) -> dict[str, str]:
    """Return what was sent, as the form shows it again."""
    names = ["name", "instructions", "max_turns", *(_PREFIX + area for area in AREAS)]
    return {name: sent.get(name, "").replace("\r\n", "\n") for name in names if name in sent}


def rows_of(form: Form) -> list[AreaRow]:
    return area_rows(_permissions(form.values), form.errors)


def given_of(typed: Mapping[str, str]) -> dict[str, object]:
    """Return what was typed as the input model takes it."""
    given: dict[str, object] = {name: typed[name] for name in ("name", "instructions") if name in typed}
    if "max_turns" in typed:
        given["max_turns"] = whole_number(typed["max_turns"])
    return {**given, "permissions": _permissions(typed)}


def whole_number(text: str) -> int | str:
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else text


def shown_version(agent: Agent) -> AgentVersion:
    """Return what editing starts from: the draft, else what is published."""
    version = agent.draft or agent.published
    assert version is not None  # an agent has one or the other from the start
    return version


def seen_of(agent: Agent) -> str:
    """Return what stands for exactly what an edit of this agent starts from."""
    version = shown_version(agent)
    parts = [version.name, version.instructions, full_permissions(version.permissions), version.max_turns]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _permissions(values: Mapping[str, str]) -> dict[str, str]:
    return {area: values[_PREFIX + area] for area in AREAS if _PREFIX + area in values}
