"""What the doctor says where not even the settings can be read: without Django, before anything else is looked at."""

from __future__ import annotations

import json
import sys

from bakedbrie.doctor.finding import SETTINGS, as_json, as_lines, wrong
from bakedbrie.env import WrongSettings


def checkup_of(error: WrongSettings) -> int:
    """Print one finding for each wrong setting and return the exit status."""
    fix = "Set it in the environment; docs/operations.md lists all."
    findings = [wrong(SETTINGS, problem, fix) for problem in error.problems]
    told = json.dumps(as_json(findings), indent=2) if "--json" in sys.argv else "\n".join(as_lines(findings))
    sys.stdout.write(told + "\n")
    return 1
