"""What a person does with an embedded install: up, down, demo. Each returns the exit status."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from bakedbrie.embedded import local_bucket
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.first_run import has_accounts
from bakedbrie.embedded.local_model import NAME, is_installed
from bakedbrie.embedded.memory import remember
from bakedbrie.embedded.signals import Signals
from bakedbrie.embedded.supervisor import PROVIDER_KEYS, Stopped, Supervisor
from bakedbrie.embedded.system_user import unprivileged_user
from bakedbrie.embedded.terminal import say
from bakedbrie.embedded.trouble import Trouble
from bakedbrie.lib.setup_code import setup_path

INTERRUPTED = 130
PATIENCE_S = 3


def up() -> int:
    """Run everything until Ctrl-C, SIGTERM or `down`."""
    return _run(_stay)


def demo(*, once: bool) -> int:
    """Run everything and the demo on top; afterwards stay, or with ``once`` stop with the demo's status."""

    def play(supervisor: Supervisor) -> int:
        status = _play(supervisor, once=once)
        return status if once or supervisor.signals.stop_requests else _stay(supervisor) or status

    with_model = is_installed() and not _has_provider_key()
    return _run(play, with_model=with_model, with_bucket=local_bucket.is_installed())


def down() -> int:
    """Stop the install that another shell started, and wait for its end."""
    folder = DataFolder.here()
    holder = folder.holder()
    if holder is None:
        say(f"BakedBrie is not running on {folder.path}.")
        return 0
    try:
        os.kill(holder, signal.SIGTERM)
    except PermissionError:
        raise Trouble(f"BakedBrie was started by another account (process {holder}); stop it as that one.") from None
    begun = time.monotonic()
    is_told = False
    while folder.holder() == holder:
        if time.monotonic() - begun > PATIENCE_S and not is_told:
            is_told = True
            say("It ends what it has begun. `make down` once more ends it now.")
        time.sleep(0.1)
    say(f"BakedBrie on {folder.path} has stopped.")
    return 0


def _run(work: Callable[[Supervisor], int], *, with_model: bool = False, with_bucket: bool = False) -> int:
    folder = DataFolder.here()
    if folder.restoring.exists():
        raise Trouble(f"A restore on {folder.path} was broken off. Remove what is in that folder, then restore again.")
    folder.make()
    with folder.locked(), Signals() as signals:
        if with_model:
            remember(folder.memory, uses_local_model=True)
        if with_bucket:
            remember(folder.memory, uses_local_bucket=True)
        supervisor = Supervisor(folder, signals, unprivileged_user(may_create=True))
        say(f"BakedBrie starts on {folder.path}")
        try:
            supervisor.start()
            return work(supervisor)
        except Stopped:
            return INTERRUPTED
        finally:
            supervisor.stop()


def _stay(supervisor: Supervisor) -> int:
    say(f"BakedBrie runs at {supervisor.web_address} (Ctrl-C stops it)")
    if supervisor.web_address != supervisor.listens_at:
        say(f"It listens at {supervisor.listens_at}: a proxy has to lead from APP_URL to there.")
    if has_accounts(supervisor.folder):
        say("A way in, from another shell: .venv/bin/python manage.py sign_in_link YOUR-ADDRESS")
    else:
        say("Nobody has an account yet. Make yours and the first workspace, with this link that works once:")
        say(f"  {supervisor.web_address}{setup_path(supervisor.folder.secret_key())}")
    supervisor.watch()
    say("BakedBrie stops")
    return 0


def _play(supervisor: Supervisor, *, once: bool) -> int:
    """Run `manage.py demo`, which puts a card through the public API and shows what became of it."""
    more = {}
    if supervisor.model and not _has_provider_key():
        more = {
            "DEMO_MODEL_BASE_URL": supervisor.model.base_url,
            "DEMO_MODEL_KEY": supervisor.folder.model_key(),
            "DEMO_MODEL_NAME": NAME,
        }
    if supervisor.bucket:
        more |= {
            "DEMO_BUCKET_ENDPOINT": supervisor.bucket.endpoint,
            "DEMO_BUCKET_NAME": local_bucket.NAME,
            "DEMO_BUCKET_FOLDER": str(supervisor.folder.buckets / local_bucket.NAME),
            "DEMO_BUCKET_KEY_ID": local_bucket.ACCESS_KEY_ID,
            "DEMO_BUCKET_KEY": supervisor.folder.bucket_key(),
        }
    command = supervisor.command("demo", *(["--once"] if once else []), **more)
    supervisor.watch(until=lambda: command.poll() is not None)
    if command.poll() is None:
        command.terminate()
        command.wait()
        return INTERRUPTED
    return command.returncode


def _has_provider_key() -> bool:
    return any(os.environ.get(name) for name in PROVIDER_KEYS)
