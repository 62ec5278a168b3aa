"""All checks in their order, each by itself: one that hangs or breaks keeps no other from speaking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.checks import WARNING, run_checks
from django.db import connections

from bakedbrie import setting_rules
from bakedbrie.doctor import address, install, machine, outgoing, stores, work
from bakedbrie.doctor.finding import SETTINGS, Finding, ok, wrong

Check = Callable[[str], Finding]

WITHIN_S = 30.0
STORAGE = "STORAGE"


def check_settings(id: str) -> Finding:
    """What `manage.py check` says; for an address that others reach, with --deploy."""
    others_reach_it = not setting_rules.is_this_computer(settings.APP_URL)
    problems = [one for one in run_checks(include_deployment_checks=others_reach_it) if one.level >= WARNING]
    shown = [one for one in problems if not one.is_silenced()]
    if not shown:
        return ok(id, "The settings are right.")
    return wrong(id, " ".join(f"{one.msg} ({one.id})" for one in shown), " ".join(str(one.hint or "") for one in shown))


CHECKS: Mapping[str, Check] = {
    SETTINGS: check_settings,
    "INSTALL": install.check_install,
    "DATA_FOLDER": machine.check_data_folder,
    "DISK_SPACE": machine.check_disk_space,
    "DATABASE": stores.check_database,
    "MIGRATIONS": stores.check_migrations,
    "CLOCK": stores.check_clock,
    "VALKEY": stores.check_valkey,
    "BROKER": stores.check_broker,
    "BEAT": work.check_beat,
    "WORKER": work.check_worker,
    "QUEUE": work.check_queue,
    "SEALING_KEYS": work.check_sealing_keys,
    "STATIC_FILES": machine.check_static_files,
    STORAGE: machine.check_storage,
    "ADDRESS": address.check_address,
    "ACCOUNTS": work.check_accounts,
    "CAPABILITIES": work.check_capabilities,
    "DELIVERIES": outgoing.check_deliveries,
    "WORK_FOLDERS": outgoing.check_work_folders,
    "STORAGE_QUOTA": outgoing.check_storage_quota,
    "REVIEWS": outgoing.check_reviews,
    "MAIL": outgoing.check_mail,
}


def examine(checks: Mapping[str, Check] = CHECKS, *, within_s: float = WITHIN_S) -> Iterator[Finding]:
    """Yield one finding for each check. A check that hangs is left behind in its thread."""
    for id, check in checks.items():
        with_own_thread = ThreadPoolExecutor(1)
        work_of_it = with_own_thread.submit(_on_fresh_connections, check, id)
        with_own_thread.shutdown(wait=False)
        try:
            error = work_of_it.exception(within_s)
        except TimeoutError:
            yield wrong(id, f"No answer within {within_s:.0f} s.", "See what it waits for, and run the doctor again.")
            continue
        yield work_of_it.result() if error is None else _broken(id, error)


def _on_fresh_connections(check: Check, id: str) -> Finding:
    try:
        return check(id)
    finally:
        connections.close_all()


def _broken(id: str, error: BaseException) -> Finding:
    """Where files are kept, whatever stands in the way is the finding; elsewhere the check itself has a fault."""
    told = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if id == STORAGE:
        return wrong(id, f"A file could not be kept and read. {told}", machine.fix_of_storage())
    return wrong(
        id, f"This could not be looked at. {told}", "Mend what is wrong above first; if nothing is, report this."
    )
