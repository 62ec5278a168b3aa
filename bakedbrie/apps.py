"""App config, so that checks, commands, static files and template tags are found."""

from __future__ import annotations

from django.apps import AppConfig


class BakedBrieConfig(AppConfig):
    name = "bakedbrie"
    verbose_name = "BakedBrie"
