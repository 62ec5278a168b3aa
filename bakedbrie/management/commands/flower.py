"""manage.py flower: Flower behind the admin's sign-in, until Ctrl-C."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from bakedbrie.adminsite.flower_socket import flower_arguments, socket_path


class Command(BaseCommand):
    help = "Run Flower for operators, at /admin/flower/, until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        if find_spec("flower") is None:
            raise CommandError("Flower is not installed: pip install -r requirements-flower.txt, or `make flower`.")
        folder = socket_path().parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)  # Flower lets everybody use its socket
        self.stdout.write(f"Flower is at {reverse('admin:flower')} for operators. Ctrl-C ends it.")
        self.stdout.flush()
        # Its own variables could open its API to everybody.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FLOWER_")}
        os.execve(sys.executable, [sys.executable, "-m", "celery", *flower_arguments()], environment)
