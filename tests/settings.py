"""Settings for tests: the product's own, with cheap passwords and jobs that stay in the process.

`tests.support.services` names the real Postgres and Valkey in the environment before this is imported; the type
checker imports it without them.
"""

from __future__ import annotations

import os

os.environ.setdefault("SECRET_KEY", "tests only: nothing outside a test run believes it")
os.environ.setdefault("SEALING_KEYS", "tests:" + "dGVzdHMgb25seTogMzIgYnl0ZXMsIG5vIHNlY3JldCE=")
os.environ["CELERY_BROKER_URL"] = "memory://"  # Celery itself prefers this variable to any setting

from bakedbrie.settings import *  # noqa: F403 the defaults above come first

LIVE_PREFIX = f"tests-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}:"
OUTBOUND_LOOPBACK = []
INSTALLED_APPS = [*INSTALLED_APPS, "tests.emptying"]  # noqa: F405
WHITENOISE_AUTOREFRESH = True  # static files are found where they lie; nothing is collected
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA / "files"}},  # noqa: F405
}
