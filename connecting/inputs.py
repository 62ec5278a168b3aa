"""What this app's forms take."""

from __future__ import annotations

from typing import Literal

from bakedbrie.lib.toolkit.inputs import Id, Input


class AnswerIn(Input):
    """What a person answers an assistant; ``show`` only shows another workspace."""

    workspace: Id
    preset: Literal["read_only", "full_control"] = "read_only"
    answer: Literal["yes", "show"]
