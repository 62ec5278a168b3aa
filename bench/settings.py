"""The product's settings, with the bare view beside the site and static files as they lie."""

from __future__ import annotations

from bakedbrie.settings import *  # noqa: F403 all of them

ROOT_URLCONF = "bench.bare_view"
STORAGES = {
    **STORAGES,  # noqa: F405 of the line above
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
