"""Connecting an assistant: OAuth for MCP, on django-oauth-toolkit, whose rows and rules of the protocol it uses."""

from __future__ import annotations
