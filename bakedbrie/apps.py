"""App config, so that checks, commands, static files and template tags are found."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import register

from bakedbrie.checks import check_deployment, check_settings


class BakedBrieConfig(AppConfig):
    name = "bakedbrie"
    verbose_name = "BakedBrie"

    def ready(self) -> None:
        register(check_settings)
        register(check_deployment, deploy=True)
