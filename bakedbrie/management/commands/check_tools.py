"""check_tools: print every tool with what it needs and what it takes, for documents and for people."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from bakedbrie.api.catalog import TOOLS, described


class Command(BaseCommand):
    help = "Prints every tool with its capabilities, its effect and its input schema."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="One JSON document instead of a list for people.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["json"]:
            listed = [{**described(name), "capabilities": list(tool.capabilities)} for name, tool in TOOLS.items()]
            self.stdout.write(json.dumps(listed, indent=2))
            return
        for name, tool in TOOLS.items():
            needs = ", ".join(tool.capabilities) or ("always there" if tool.is_base else "no capability")
            takes = ", ".join(described(name)["inputSchema"]["properties"])
            self.stdout.write(f"{name}\n  {tool.title} ({tool.effect.value}; {needs})\n  takes: {takes}\n")
        size = len(json.dumps([described(name) for name in TOOLS], separators=(",", ":")))
        self.stdout.write(f"{len(TOOLS)} tools, {size} characters as MCP lists them")
