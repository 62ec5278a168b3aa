"""BakedBrie as it is put on servers: behind a proxy, below a path, as a container, as a unit."""

from __future__ import annotations
