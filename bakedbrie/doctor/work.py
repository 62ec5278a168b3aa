"""Who does the work, and whether it gets done: beat, workers, the queue, sealed secrets, accounts and capabilities."""

from __future__ import annotations

from collections import Counter

import redis
from django.db import Error

from agents.figures import unusable_accounts_in_use
from bakedbrie.api.work_health import NOT_SEEN, STUCK, WorkHealth, work_health
from bakedbrie.doctor.finding import Finding, note, ok, skipped, wrong
from bakedbrie.doctor.stores import NO_DATABASE, NO_VALKEY
from bakedbrie.lib import sealing
from workspaces.capabilities import NEEDS
from workspaces.models import SealedSecret
from workspaces.selectors import unmet_capabilities
from workspaces.services.secrets import open_secret

_START_WORKER = (
    "Start one (`make up`, or the line `worker` of Procfile), and look at its log. It needs the environment of the web "
    "processes, REDIS_URL and LIVE_PREFIX included."
)
_START_BEAT = "Start exactly one (`make up`, or the line `beat` of Procfile): without it, nothing is rung for again."


def check_beat(id: str) -> Finding:
    found = _work()
    if isinstance(found, str):
        return skipped(id, found)
    if found.beat == NOT_SEEN:
        return wrong(id, f"Beat was not seen{_since(found.beat_seen_s)}.", _START_BEAT)
    return ok(id, "Beat sends its ticks.")


def check_worker(id: str) -> Finding:
    found = _work()
    if isinstance(found, str):
        return skipped(id, found)
    if found.worker == NOT_SEEN:
        return wrong(id, f"No worker was seen{_since(found.worker_seen_s)}.", _START_WORKER)
    if found.worker == STUCK:
        fix = "Stop it and start it again, and look at its log: no queued card is lost."
        return wrong(id, f"A worker lives, and has done no sweep{_since(found.sweep_done_s)}.", fix)
    return ok(id, f"A worker is at work; {found.turns.out} calls are out.")


def check_queue(id: str) -> Finding:
    found = _work()
    if isinstance(found, str):
        return skipped(id, found)
    says = f"{found.turns.queued} turns are queued, the oldest since {found.turns.oldest_queued_s} s."
    if found.turns.is_late:
        fix = (
            "See that a worker runs and is not stuck; if all threads are at calls, start more or raise WORKER_THREADS."
        )
        return wrong(id, says, fix)
    return ok(id, says)


def check_sealing_keys(id: str) -> Finding:
    """Open every stored secret; a key of the same name may still be another one."""
    try:
        opened, shut = _open_all_secrets()
    except Error:
        return skipped(id, NO_DATABASE)
    if not shut:
        return ok(id, f"All {opened} stored secrets open; the key {sealing.key_names()[0]} seals.")
    names = ", ".join(f"{count} sealed with {name}" for name, count in sorted(shut.items()))
    fix = (
        "Put the key of that name from your backup back into SEALING_KEYS. Without it these secrets are lost: connect "
        "their AI accounts again."
    )
    return wrong(id, f"{sum(shut.values())} of {opened + sum(shut.values())} stored secrets do not open: {names}.", fix)


def check_accounts(id: str) -> Finding:
    try:
        count = unusable_accounts_in_use()
    except Error:
        return skipped(id, NO_DATABASE)
    if count:
        fix = "Their boards say why. Connect them again with a key that works, or bind another account."
        return note(id, f"{count} AI accounts that are to pay for something cannot be used.", fix)
    return ok(id, "Every AI account in use can be used.")


def check_capabilities(id: str) -> Finding:
    try:
        found = unmet_capabilities()
    except Error:
        return skipped(id, NO_DATABASE)
    if not found:
        return ok(id, "Every capability that is on has what it needs.")
    names = ", ".join(f"{name} (needs {', '.join(NEEDS[name])})" for name in sorted(found))
    fix = "Turn on what it needs in the workspace, or turn it off."
    return note(id, f"Switched on, and counted as off: {names}.", fix)


def _work() -> WorkHealth | str:
    """Return what is known of the work, or why nothing is."""
    try:
        return work_health()
    except redis.RedisError:
        return NO_VALKEY
    except Error:
        return NO_DATABASE


def _open_all_secrets() -> tuple[int, Counter[str]]:
    """Return how many open, and how many of each key do not."""
    opened, shut = 0, Counter[str]()
    for secret in SealedSecret.objects.filter(sealed__isnull=False).iterator():
        try:
            open_secret(secret)
        except sealing.SealingError:
            shut[_key_of(secret)] += 1
        else:
            opened += 1
    return opened, shut


def _key_of(secret: SealedSecret) -> str:
    try:
        return sealing.key_name(secret.sealed or b"")
    except sealing.SealingError:
        return "nothing that can be read"


def _since(age_s: float | None) -> str:
    return " within a day" if age_s is None else f" for {age_s:.0f} s"
