"""The version of BakedBrie, named to MCP clients and outside services."""

from __future__ import annotations

VERSION = "0.1.0"
