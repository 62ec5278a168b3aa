"""What a delivery of 45 MB holds in memory at its peak, beside a delivery of 1 kB, boto3 sending the same, and the file
read whole.

Run: python -m bench.large_delivery
"""

from __future__ import annotations

import gc
import io
import resource
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from bench.stack import let_wait, running_stack
from tests.support.buckets import moto

if TYPE_CHECKING:
    from boards.models import CardFile
    from destinations.models import Delivery
    from tests.factories.destinations import Parcel

LARGE, SMALL = 45_000_000, 1_000
MOST_MB = 10
LOOK_EVERY_S = 0.002


def main() -> None:
    with running_stack(), tempfile.TemporaryDirectory() as folder, moto(Path(folder)) as server:
        # Imported here: the models need the settings, and those the addresses of what was just started.
        from django.conf import settings  # noqa: PLC0415

        from destinations.calls.sending import run_delivery  # noqa: PLC0415
        from tests.factories.destinations import make_parcel  # noqa: PLC0415
        from tests.factories.workspaces import make_workspace  # noqa: PLC0415

        let_wait()  # the deliveries are sent in this process
        settings.OUTBOUND_LOOPBACK = [server.pair]
        parcel = make_parcel(make_workspace(), server)
        queued = [_queued(parcel, size) for size in (SMALL, SMALL, LARGE)]
        run_delivery(queued[0].pk)  # warms imports and connections
        small, _ = _peak(lambda: run_delivery(queued[1].pk))
        large, seconds = _peak(lambda: run_delivery(queued[2].pk))
        for delivery in queued:
            delivery.refresh_from_db()
            assert delivery.state == "delivered", delivery.code
        with open(Path(folder) / "large", "wb") as file:
            file.write(bytes(LARGE))
        client, bucket = server.client, server.new_bucket().name
        client.put_object(Bucket=bucket, Key="small", Body=b"x")
        with open(Path(folder) / "large", "rb") as file:
            boto, _ = _peak(lambda: client.put_object(Bucket=bucket, Key="large", Body=file))
        whole, _ = _peak((Path(folder) / "large").read_bytes)
        print(f"delivery of {SMALL // 1000} kB       {small / 1e6:7.1f} MB more at its peak")
        more = f"{large / 1e6:7.1f} MB more at its peak (at most {MOST_MB}), {seconds:.1f} s"
        print(f"delivery of {LARGE // 1_000_000} MB      {more}")
        print(f"boto3, the same file   {boto / 1e6:7.1f} MB more at its peak")
        print(f"the file, read whole   {whole / 1e6:7.1f} MB more at its peak")
        assert large < MOST_MB * 1_000_000


def _queued(parcel: Parcel, size: int) -> Delivery:
    from boards.contents import Content  # noqa: PLC0415
    from boards.services.files import add_file  # noqa: PLC0415

    name = f"file-{size}.bin"
    file: CardFile = add_file(parcel.caller, card=parcel.card, name=name, stream=io.BytesIO(bytes(size)))
    content = Content(
        name=f"{file.pk}.bin", media_type=file.media_type, bytes=file.bytes, sha256=file.sha256, file=file
    )
    return parcel.queue([content])


def _peak(work: Callable[[], object]) -> tuple[int, float]:
    """Return how much more memory this process held at its peak than before, and how long it took."""
    gc.collect()
    over = threading.Event()
    before = peak = _memory()

    def look() -> None:
        nonlocal peak
        while not over.wait(LOOK_EVERY_S):
            peak = max(peak, _memory())

    looking = threading.Thread(target=look)
    looking.start()
    began = perf_counter()
    work()
    taken = perf_counter() - began
    over.set()
    looking.join()
    return peak - before, taken


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    main()
