"""What tests stand on: real services, scripted ones, and factories."""

from __future__ import annotations
