"""rotate_keys: seal every stored secret again under the first key of SEALING_KEYS."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bakedbrie.lib import sealing
from workspaces.management.quiet import quiet
from workspaces.services.key_rotation import UNREADABLE, Shut, count_by_key, reseal_secrets


class Command(BaseCommand):
    help = "Seal every stored secret again under the first key of SEALING_KEYS, while everything runs."

    def add_arguments(self, parser: CommandParser) -> None:
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument("--check", action="store_true", help="only count; status 1 while an older key is needed")
        ways.add_argument("--new-key", action="store_true", help="only print a new entry for SEALING_KEYS")

    @quiet()
    def handle(self, *args: Any, **options: Any) -> None:
        if options["new_key"]:
            self.stdout.write(sealing.new_key())
        elif options["check"]:
            self._check()
        else:
            self._rotate()

    def _check(self) -> None:
        first, *older = sealing.key_names()
        counts = count_by_key()
        for name in (first, *older, *sorted(counts.keys() - {first, *older})):
            what = "seals" if name == first else "opens" if name in older else "is not in SEALING_KEYS"
            self.stdout.write(f"{_shown(name)} ({what}): {_secrets(counts[name])}")
        left = counts.total() - counts[first]
        if left:
            raise CommandError(f"{_secrets(left)} not yet under the key {first}. Keep the older keys.")
        self.stdout.write(f"Everything opens with the key {first}; the others may go.")

    def _rotate(self) -> None:
        first = sealing.key_names()[0]
        resealed = 0
        shut: list[Shut] = []
        for batch in reseal_secrets():
            resealed += batch.resealed
            shut += batch.shut
        self.stdout.write(f"{_secrets(resealed)} sealed again under the key {first}.")
        for one in shut:
            self.stdout.write(f"Stays shut: {one.what}, sealed with {_shown(one.key)}")
        if shut:
            raise CommandError(
                "The secrets above do not open. Add their key to SEALING_KEYS and run this again, or let their owners "
                "give them anew."
            )
        self.stdout.write("Older keys may go from SEALING_KEYS once no running process seals with one of them.")


def _shown(name: str) -> str:
    return "an unreadable key" if name == UNREADABLE else f"the key {name}"


def _secrets(count: int) -> str:
    return "1 secret" if count == 1 else f"{count} secrets"
