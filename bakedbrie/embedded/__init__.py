"""The embedded install: Postgres, Valkey and BakedBrie's own processes under one supervisor.

Nothing here imports Django: this package prepares the environment that Django's settings read.
"""

from __future__ import annotations
