"""``python -m bakedbrie.embedded up | down | demo [--once]``: what `make` calls."""

from __future__ import annotations

import argparse
import sys

from bakedbrie.embedded import commands
from bakedbrie.embedded.trouble import Trouble


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bakedbrie.embedded", description=commands.__doc__)
    parser.add_argument("command", choices=["up", "down", "demo"])
    parser.add_argument("--once", action="store_true", help="stop after the demo, with its status")
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        raise Trouble("The embedded install runs on Linux. Elsewhere, name your own Postgres and Redis: see README.md.")
    if options.command == "demo":
        return commands.demo(once=options.once)
    return commands.up() if options.command == "up" else commands.down()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(str(trouble))
