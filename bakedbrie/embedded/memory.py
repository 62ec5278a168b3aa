"""What one data folder remembers from start to start: its ports, and whether it uses the local model and bucket."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bakedbrie.embedded.trouble import Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    web_port: int | None = None
    model_port: int | None = None
    uses_local_model: bool = False
    bucket_port: int | None = None
    uses_local_bucket: bool = False


def recall(path: Path) -> Memory:
    try:
        return Memory(**json.loads(path.read_text()))
    except FileNotFoundError:
        return Memory()
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError):
        raise Trouble(f"{path} is damaged; remove it to choose new ports.") from None


def remember(path: Path, **changes: int | bool) -> Memory:
    memory = replace(recall(path), **changes)  # type: ignore[arg-type]  # mypy sees the widest field type
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(asdict(memory), indent=2) + "\n")
    unfinished.rename(path)
    return memory
