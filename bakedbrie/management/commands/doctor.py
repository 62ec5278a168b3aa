"""`manage.py doctor`: says in plain words what is wrong and how to mend it; `doctor mcp` only about assistants."""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from bakedbrie.doctor.checkup import CHECKS, examine
from bakedbrie.doctor.discovery import MCP_CHECKS
from bakedbrie.doctor.finding import as_json, as_lines, is_well


class Command(BaseCommand):
    help = "Look at everything this instance needs, and say what is wrong and how to mend it. Status 1 if anything is."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", nargs="?", choices=["mcp"], help="only how assistants are connected")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.disable(logging.CRITICAL)  # what is wrong is said once, by the findings
        findings = list(examine(MCP_CHECKS if options["what"] else CHECKS))
        self.stdout.write(json.dumps(as_json(findings), indent=2) if options["json"] else "\n".join(as_lines(findings)))
        sys.stdout.flush()
        os._exit(0 if is_well(findings) else 1)  # a check that hangs must not hold the end up
