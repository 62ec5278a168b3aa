"""What this machine gives: the data folder, room on its disk, static files, and the store of card files."""

from __future__ import annotations

import os
import shutil
import stat
from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage

from bakedbrie.doctor.finding import Finding, note, ok, skipped, wrong
from bakedbrie.lib import storage

ENOUGH_BYTES = 1_000_000_000
LEAST_BYTES = 100_000_000
_TRIED = b"The doctor writes this, reads it and takes it away."
_OUR_FOLDER = "for the account that BakedBrie runs as, or name another folder in BAKEDBRIE_DATA."
_COLLECT = "Run `manage.py collectstatic --noinput` after each update, then start the web processes again."
_BUCKET = "Look at FILES_BUCKET, FILES_ENDPOINT and both keys: the account must read, write and delete."
_FILES = (
    "Give `files` in the data folder to the account that BakedBrie runs as, and see that there is room on the disk."
)


def check_data_folder(id: str) -> Finding:
    folder = Path(settings.DATA)
    if not folder.is_dir():
        return wrong(id, f"The data folder {folder} is not there.", f"Make it {_OUR_FOLDER}")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return wrong(id, f"This account cannot write to the data folder {folder}.", f"Change its owner {_OUR_FOLDER}")
    if folder.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        return wrong(id, f"Other accounts of this machine look into the data folder {folder}.", f"chmod o-rw {folder}")
    return ok(id, f"The data folder is {folder}.")


def check_disk_space(id: str) -> Finding:
    folder = next(path for path in [Path(settings.DATA), *Path(settings.DATA).parents] if path.exists())
    free = shutil.disk_usage(folder).free
    says = f"{free // 1_000_000} MB are free on the disk of {folder}."
    fix = "Free some, or move the data folder to a larger disk and name it in BAKEDBRIE_DATA."
    if free < LEAST_BYTES:
        return wrong(id, says, fix)
    return ok(id, says) if free >= ENOUGH_BYTES else note(id, says, fix)


def check_static_files(id: str) -> Finding:
    try:
        url = staticfiles_storage.url("bakedbrie/app.css")
    except ValueError:
        return wrong(id, "Static files were not collected, so no page can be shown.", _COLLECT)
    stored = Path(staticfiles_storage.path(url.removeprefix(settings.STATIC_URL)))
    if not stored.is_file():
        return wrong(id, f"{stored} is missing, so pages have no style.", _COLLECT)
    return ok(id, "Static files are collected.")


def check_storage(id: str) -> Finding:
    """Write a file where card files are kept, read it and take it away. A bucket's library has errors of its own."""
    if not settings.FILES_BUCKET and not Path(settings.DATA).is_dir():
        return skipped(id, "the data folder is not there")
    kept = storage.store(BytesIO(_TRIED), key_prefix="doctor", max_bytes=len(_TRIED))
    with storage.open_file(kept.key) as file:
        is_same = file.read() == _TRIED
    storage.delete(kept.key)
    if not is_same:
        return wrong(id, f"What was written to {_place()} came back changed.", fix_of_storage())
    return ok(id, f"A file was written to {_place()}, read and deleted.")


def fix_of_storage() -> str:
    return _BUCKET if settings.FILES_BUCKET else _FILES


def _place() -> str:
    return f"the bucket {settings.FILES_BUCKET}" if settings.FILES_BUCKET else "the data folder"
