#!/usr/bin/env python
"""Django's command line."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from bakedbrie.doctor.wrong_settings import checkup_of
from bakedbrie.embedded import environment
from bakedbrie.embedded.trouble import Trouble
from bakedbrie.env import WrongSettings

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakedbrie.settings")
    try:
        environment.complete(os.environ, command=sys.argv[1] if len(sys.argv) > 1 else "help")
    except Trouble as trouble:
        sys.exit(str(trouble))
    try:
        execute_from_command_line(sys.argv)
    except WrongSettings as wrong:
        sys.exit(checkup_of(wrong) if sys.argv[1:2] == ["doctor"] else str(wrong))
