"""Tests of connecting an assistant."""

from __future__ import annotations
