"""S3 servers in processes of their own: moto, which checks signatures, and nanio, which keeps files in a folder."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config

from bakedbrie.lib.s3.bucket import Bucket
from bakedbrie.lib.sealing import Secret

_STARTS_WITHIN_S = 60
_POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
_SETUP_CALLS = 3  # user, key and policy are made before moto begins to check signatures


@dataclass(frozen=True, kw_only=True)
class S3Server:
    """A running server and the one key that it takes; ``client`` is boto3's own, the judge of what lies in a bucket."""

    port: int
    access_key_id: str
    secret: str = field(repr=False)
    client: Any = field(repr=False)
    takes_percent_signs: bool = True

    @property
    def pair(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def endpoint(self) -> str:
        return f"http://{self.pair}"

    def new_bucket(self, prefix: str = "") -> Bucket:
        """Make a bucket that nobody else uses."""
        name = f"bucket-{uuid4()}"
        self.client.create_bucket(Bucket=name)
        return self.bucket(name, prefix)

    def bucket(self, name: str, prefix: str = "") -> Bucket:
        return Bucket(
            endpoint=self.endpoint,
            region="us-east-1",
            name=name,
            prefix=prefix,
            access_key_id=self.access_key_id,
        )

    def key(self) -> Secret:
        return Secret(self.secret)

    def keys(self, bucket: Bucket) -> list[str]:
        listed = self.client.list_objects_v2(Bucket=bucket.name)
        return [one["Key"] for one in listed.get("Contents", [])]

    def read(self, bucket: Bucket, key: str) -> bytes:
        content: bytes = self.client.get_object(Bucket=bucket.name, Key=key)["Body"].read()
        return content

    def write(self, bucket: Bucket, key: str, content: bytes) -> None:
        self.client.put_object(Bucket=bucket.name, Key=key, Body=content)


@contextmanager
def moto(folder: Path) -> Iterator[S3Server]:
    """Run moto with signatures on."""
    port = _free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with _running(command, {"INITIAL_NO_AUTH_ACTION_COUNT": str(_SETUP_CALLS)}, port, folder / "moto.log"):
        with _client("iam", port, "setup", "setup") as iam:
            iam.create_user(UserName="bakedbrie")
            key = iam.create_access_key(UserName="bakedbrie")["AccessKey"]
            iam.put_user_policy(UserName="bakedbrie", PolicyName="all", PolicyDocument=_POLICY)
        access_key_id, secret = key["AccessKeyId"], key["SecretAccessKey"]
        with _client("s3", port, access_key_id, secret) as client:
            yield S3Server(port=port, access_key_id=access_key_id, secret=secret, client=client)


@contextmanager
def nanio(folder: Path) -> Iterator[S3Server]:
    """Run nanio on a folder; the buckets are its folders."""
    port, access_key_id, secret = _free_port(), "bakedbrie-tests", uuid4().hex
    data = folder / "buckets"
    data.mkdir()
    command = [sys.executable, "-m", "nanio", "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--data-dir", str(data), "--no-access-log", "--log-level", "warning"]
    keys = {"NANIO_ACCESS_KEY": access_key_id, "NANIO_SECRET_KEY": secret}
    with (
        _running(command, keys, port, folder / "nanio.log"),
        _client("s3", port, access_key_id, secret) as client,
    ):
        yield S3Server(port=port, access_key_id=access_key_id, secret=secret, client=client, takes_percent_signs=False)


@contextmanager
def _running(command: list[str], environment: Mapping[str, str], port: int, log: Path) -> Iterator[None]:
    with (
        log.open("wb") as out,
        subprocess.Popen(command, env={**os.environ, **environment}, stdout=out, stderr=out) as process,
    ):
        try:
            _wait_for(port, process, log)
            yield
        finally:
            process.kill()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    ends_at = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < ends_at and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)  # a server tells nobody when it listens
        else:
            return
    raise AssertionError(f"{process.args!r} does not listen: {log.read_text(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _client(service: str, port: int, access_key_id: str, secret: str) -> closing[Any]:
    """Return a client that closes its connections at the end of the block: left to the collector they would warn."""
    plain = Config(
        s3={"addressing_style": "path"},
        retries={"max_attempts": 1},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        proxies={},
    )
    return closing(
        boto3.client(
            service,
            endpoint_url=f"http://127.0.0.1:{port}",
            region_name="us-east-1",
            aws_access_key_id=access_key_id,
            aws_secret_access_key=secret,
            config=plain,
        )
    )


@pytest.fixture(scope="session")
def moto_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with moto(tmp_path_factory.mktemp("moto")) as server:
        yield server


@pytest.fixture(scope="session")
def nanio_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with nanio(tmp_path_factory.mktemp("nanio")) as server:
        yield server
