"""Run as a process: one web server on a listening socket that it inherits, the number of which is its argument.

Not ``uvicorn --fd``: that takes it for a socket of the file system and so leaves TCP_NODELAY unset.
"""

from __future__ import annotations

import socket
import sys

import uvicorn

REQUESTS_END_WITHIN_S = 20  # streams of hints end at once (bakedbrie.asgi)


def main(descriptor: int) -> None:
    config = uvicorn.Config(
        "bakedbrie.asgi:application",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # BEHIND_PROXY decides, in Django's settings
        timeout_graceful_shutdown=REQUESTS_END_WITHIN_S,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
