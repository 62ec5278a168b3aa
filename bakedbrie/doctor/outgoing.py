"""What waits for people and what leaves: deliveries, work folders, reviews and their mail, room for files.

Looks at rows alone, but for the mail server, which is greeted and given no mail.
"""

from __future__ import annotations

import smtplib
from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.core.mail import get_connection
from django.db import Error

from agents.figures import open_asks
from bakedbrie.doctor.finding import Finding, note, ok, skipped, wrong
from bakedbrie.doctor.stores import NO_DATABASE
from bakedbrie.lib import clock
from destinations.figures import deliveries_made_since, failing_destinations, open_deliveries
from destinations.states import DeliveryCode, DeliveryState
from reviews.figures import failing_folders, folder_work, folders_without_place, open_reviews
from reviews.states import FolderCode
from workspaces.services.room import full_workspaces

MAIL_WITHIN_S = 10
_WORKER = "See that beat and a worker run and are not stuck (BEAT, WORKER): nothing that waits is lost."
_UNREACHABLE = (
    "See that this machine reaches the service; an address of this network must stand in OUTBOUND_LOOPBACK. Folders "
    "are tried again by themselves, deliveries by whoever presses Deliver again."
)
_MENDS: Mapping[str, str] = {
    DeliveryCode.AUTH_FAILED: "Give the destination a key that may list, read, write and delete in its bucket.",
    DeliveryCode.BUCKET_NOT_FOUND: "Make the bucket, or correct its name in the destination.",
    DeliveryCode.BUCKET_ELSEWHERE: "Correct the region or endpoint of the destination.",
    DeliveryCode.KEY_UNUSABLE: "See SEALING_KEYS, or give the destination its key again.",
    DeliveryCode.DISABLED: "Give the board another work folder: its destination is off for good.",
    DeliveryCode.UNAVAILABLE: _UNREACHABLE,
    DeliveryCode.RATE_LIMITED: _UNREACHABLE,
    DeliveryCode.OUTCOME_UNKNOWN: _UNREACHABLE,
    FolderCode.STORAGE_UNAVAILABLE: "See STORAGE and DISK_SPACE: files of hosted work folders are kept there.",
    FolderCode.STORAGE_QUOTA_EXCEEDED: "See STORAGE_QUOTA.",
}
_OTHERWISE = "The pages of these boards and destinations say more."


def check_deliveries(id: str) -> Finding:
    try:
        waiting, failing = open_deliveries(), failing_destinations()
        unclear = deliveries_made_since(clock.now() - timedelta(days=1)).get(DeliveryState.UNKNOWN, 0)
    except Error:
        return skipped(id, NO_DATABASE)
    says = f"{waiting.waiting} deliveries wait, the oldest since {waiting.oldest_waiting_s} s."
    if waiting.is_late:
        return wrong(id, says, _WORKER)
    if failing:
        return note(id, f"{_counted(failing)} destinations failed last. {says}", _mend(failing))
    if unclear:
        fix = (
            "Their cards say so. Look into the destination, then deliver again: that looks first, and doubles nothing."
        )
        return note(id, f"{unclear} deliveries of the last day are unclear. {says}", fix)
    return ok(id, says)


def check_work_folders(id: str) -> Finding:
    try:
        work, shut, placeless = folder_work(), failing_folders(), folders_without_place()
    except Error:
        return skipped(id, NO_DATABASE)
    if work.is_late:
        return wrong(id, f"A step of a work folder has been queued for {work.oldest_queued_s} s.", _WORKER)
    if placeless:
        says = f"{placeless} work folders lie in a destination that is off: nobody can decide on their files."
        return wrong(id, says, _MENDS[DeliveryCode.DISABLED])
    if FolderCode.STORAGE_UNAVAILABLE in work.failing:
        return wrong(id, f"{_counted(work.failing)} files could not be kept.", _mend(work.failing))
    if work.failing or shut:
        says = f"{_counted(shut)} work folders cannot be looked into, {_counted(work.failing)} files of folders wait."
        return note(id, says, _mend({**shut, **work.failing}))
    return ok(id, "Every file of a work folder is where it should be, or on its way.")


def check_storage_quota(id: str) -> Finding:
    try:
        full = full_workspaces()
    except Error:
        return skipped(id, NO_DATABASE)
    if not full:
        return ok(id, "Every workspace has room for files.")
    fix = (
        "Delete files there, or give the workspace more under Storage uses in the admin; STORAGE_QUOTA_BYTES counts "
        "for workspaces without a quota of their own."
    )
    shown = ", ".join(full[:3]) + (" …" if len(full) > 3 else "")
    return note(id, f"{len(full)} workspaces have used up their room for files: {shown}.", fix)


def check_reviews(id: str) -> Finding:
    try:
        reviews, asks = open_reviews(), open_asks()
    except Error:
        return skipped(id, NO_DATABASE)
    says = f"{reviews.count} reviews and {asks.count} questions of agents wait for people."
    if reviews.untold:
        fix = "See MAIL, BEAT and WORKER. Whoever may decide finds the review on the home page meanwhile."
        return wrong(id, f"Nobody was told by mail of {reviews.untold} reviews. {says}", fix)
    return ok(id, says)


def check_mail(id: str) -> Finding:
    if not settings.EMAIL_HOST:
        return ok(id, "No mail server is set: nobody is told of reviews by mail.")
    server = get_connection(timeout=MAIL_WITHIN_S)
    try:
        server.open()
        server.close()
    except (OSError, smtplib.SMTPException, ValueError) as error:
        at = f"{settings.EMAIL_HOST} port {settings.EMAIL_PORT}"
        fix = (
            "Look at EMAIL_HOST, EMAIL_PORT, EMAIL_SECURITY, EMAIL_USER and EMAIL_PASSWORD. Until then no mail is sent."
        )
        return wrong(id, f"The mail server {at} does not let us in ({type(error).__name__}).", fix)
    return ok(id, "The mail server lets us in.")


def _counted(found: Mapping[str, int]) -> str:
    """Return how many there are, with the codes of what stood against them."""
    codes = ", ".join(f"{code} {count}" for code, count in sorted(found.items()))
    return f"{sum(found.values())} ({codes})" if found else "0"


def _mend(codes: Mapping[str, int]) -> str:
    """Return what mends these codes, each thing once."""
    return " ".join(dict.fromkeys(_MENDS.get(code, _OTHERWISE) for code in sorted(codes)))
