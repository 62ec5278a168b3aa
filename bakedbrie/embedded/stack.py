"""What runs in an embedded install, in the order in which it starts; it stops the other way round."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.local_bucket import ACCESS_KEY_ID, NAME, LocalBucket
from bakedbrie.embedded.local_model import LocalModel
from bakedbrie.embedded.part import Part
from bakedbrie.embedded.ports import LOOPBACK
from bakedbrie.embedded.postgres import Postgres
from bakedbrie.embedded.program import Program
from bakedbrie.embedded.system_user import SystemUser
from bakedbrie.embedded.valkey import Valkey

WEB_PROCESSES = 2
QUEUES = "turns,default"
SETTLE_MARGIN_S = 30
WEB_ENDS_WITHIN_S = 30  # longer than serve_web gives the requests that run


def stores(folder: DataFolder, user: SystemUser | None) -> tuple[Postgres, Valkey]:
    postgres = Postgres(folder.postgres, folder.log("postgres"), user=user)
    return postgres, Valkey(folder.valkey, folder.log("valkey"))


def local_model(folder: DataFolder, model: LocalModel, environment: Mapping[str, str]) -> list[Part]:
    program = Program(
        "bakedbrie.embedded.serve_model",
        str(model.port),
        environment={**environment, "MODEL_KEY": folder.model_key()},
        log=folder.log("model"),
    )
    return [Part("model", program)]


def local_bucket(folder: DataFolder, bucket: LocalBucket, environment: Mapping[str, str]) -> list[Part]:
    """An S3 server of a few thousand lines, for the demo alone; only this machine reaches it, and only with the key."""
    (folder.buckets / NAME).mkdir(mode=0o700, parents=True, exist_ok=True)
    quiet = ["--no-access-log", "--log-level", "warning"]
    program = Program(
        "nanio",
        *("serve", "--host", LOOPBACK, "--port", str(bucket.port), "--data-dir", str(folder.buckets), *quiet),
        environment={**environment, "NANIO_ACCESS_KEY": ACCESS_KEY_ID, "NANIO_SECRET_KEY": folder.bucket_key()},
        log=folder.log("bucket"),
    )
    return [Part("bucket", program)]


def worker(folder: DataFolder, environment: Mapping[str, str]) -> list[Part]:
    """Celery with threads: its work is waiting. It may end what it has begun, which a deadline bounds."""
    options = ["--pool", "threads", "--concurrency", environment.get("WORKER_THREADS", "8"), "--queues", QUEUES]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    program = Program(
        "celery",
        *("--quiet", "--app", "bakedbrie", "worker", *options, *quiet),
        environment=environment,
        log=folder.log("worker"),
        stop_within_s=int(environment.get("TURN_DEADLINE_S", "600")) + SETTLE_MARGIN_S,
    )
    return [Part("worker", program)]


def doors(folder: DataFolder, environment: Mapping[str, str], listener: socket.socket) -> list[Part]:
    """The web processes, which share one socket, and beat, which rings for the system's ticks."""
    scheduler = ["--scheduler", "django_celery_beat.schedulers:DatabaseScheduler", "--pidfile", ""]
    beat = Program(
        "celery",
        *("--quiet", "--app", "bakedbrie", "beat", *scheduler, "--loglevel", "INFO"),
        environment=environment,
        log=folder.log("beat"),
    )
    web = [
        Program(
            "bakedbrie.embedded.serve_web",
            str(listener.fileno()),
            environment=environment,
            log=folder.log(f"web-{n}"),
            stop_within_s=WEB_ENDS_WITHIN_S,
            descriptors=[listener.fileno()],
        )
        for n in range(1, WEB_PROCESSES + 1)
    ]
    return [*(Part(f"web {n}", program) for n, program in enumerate(web, 1)), Part("beat", beat)]
