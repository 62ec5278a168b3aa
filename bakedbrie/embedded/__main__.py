"""``python -m bakedbrie.embedded COMMAND``: what `make` calls."""

from __future__ import annotations

import argparse
import sys

from bakedbrie.embedded import commands
from bakedbrie.embedded.backup import backup
from bakedbrie.embedded.key_rotation import rotate_keys
from bakedbrie.embedded.restore import NO_KEYS, restore
from bakedbrie.embedded.trouble import Trouble


def main() -> int:
    options = _parser().parse_args()
    if not sys.platform.startswith("linux"):
        raise Trouble("The embedded install runs on Linux. Elsewhere, name your own Postgres and Redis: see README.md.")
    match options.command:
        case "demo":
            return commands.demo(once=options.once)
        case "backup":
            return backup(options.to, with_keys=options.keys != NO_KEYS)
        case "restore":
            return restore(options.source, options.keys)
        case "rotate-keys":
            return rotate_keys()
        case "up":
            return commands.up()
        case _:
            return commands.down()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bakedbrie.embedded")
    orders = parser.add_subparsers(dest="command", required=True)
    orders.add_parser("up", help="run everything until Ctrl-C, SIGTERM or down")
    orders.add_parser("down", help="stop what runs in another shell")
    demo = orders.add_parser("demo", help="run everything, and the demo on top")
    demo.add_argument("--once", action="store_true", help="stop after the demo, with its status")
    saving = orders.add_parser("backup", help="save database and files in one archive, and the keys beside it")
    saving.add_argument("--to", default="", help="the archive; without it, one in the data folder")
    saving.add_argument("--keys", choices=["beside", NO_KEYS], default="beside", help="none: leave the keys out")
    restoring = orders.add_parser("restore", help="restore an archive into an empty data folder")
    restoring.add_argument("source", help="the archive")
    restoring.add_argument("--keys", default="", help="the file of its keys, or none; without it, the one beside it")
    orders.add_parser("rotate-keys", help="change the sealing key of an install that does not run")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(str(trouble))
