"""App config."""

from __future__ import annotations

from django.apps import AppConfig


class ConnectingConfig(AppConfig):
    name = "connecting"
