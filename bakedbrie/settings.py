"""The one settings module: every value an operator may change comes through env.py."""

from __future__ import annotations

import os
from pathlib import Path

from csp.constants import NONE, SELF

from bakedbrie import setting_rules
from bakedbrie.env import envbool, envchoice, envint, envlist, envsecret, envtext, envurl, note, stop_if_wrong
from bakedbrie.logconf import LogFormat, logging_config

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(envtext("BAKEDBRIE_DATA", str(ROOT / "var"))).resolve()

# Who we are to the outside
APP_URL = envtext("APP_URL", "http://127.0.0.1:8000").rstrip("/")
_address = setting_rules.parts_of(APP_URL)
_host = _address.hostname or "127.0.0.1"
APP_PATH = _address.path  # everything lies below it: empty, or as /brie
FORCE_SCRIPT_NAME = APP_PATH or None
SECRET_KEY = envsecret("SECRET_KEY")
SEALING_KEYS = envsecret("SEALING_KEYS")  # name:base64 of 32 bytes, comma-separated; the first one seals
DEBUG = envbool("DEBUG", default=False)
note(setting_rules.wrong_app_url(APP_URL))
note(setting_rules.wrong_debug(DEBUG, APP_URL))
note(setting_rules.wrong_sealing_keys(SEALING_KEYS) if SEALING_KEYS else "")
ALLOWED_HOSTS = [_host, *envlist("ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = [f"{_address.scheme}://{_address.netloc}"]
_is_https = APP_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _is_https
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{APP_PATH}/"
SESSION_COOKIE_NAME = "bakedbrie_session"  # Django's own names would clash with a neighbour on the same host
CSRF_COOKIE_NAME = "bakedbrie_csrf"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # a cookie would lie outside our path
BEHIND_PROXY = envbool("BEHIND_PROXY", default=False)  # it sets X-Forwarded-Proto and adds to X-Forwarded-For
SECURE_SSL_REDIRECT = _is_https and BEHIND_PROXY  # only a proxy tells plain requests from others
SECURE_HSTS_SECONDS = envint("HSTS_SECONDS", 0)
# Whether all names below the host speak https is not ours to say.
# And programs on a person's own computer are answered over plain http.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021", "oauth2_provider.W008"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "bakedbrie.lib.web.errors.form_expired"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Outbound: private addresses that an AI account may use, as exact host:port; empty unless the operator lists them
OUTBOUND_LOOPBACK = envlist("OUTBOUND_LOOPBACK")
note(setting_rules.wrong_loopback(OUTBOUND_LOOPBACK))
OUTBOUND_CA_FILE = envtext("OUTBOUND_CA_FILE", "")  # certificates to trust besides the system's

INSTALLED_APPS = [
    "bakedbrie.adminsite.apps.AdminSiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "oauth2_provider",
    "bakedbrie",
    "workspaces",
    "boards",
    "connecting",
    "agents",
    "destinations",
    "reviews",
    "workflows",
]
MIDDLEWARE = [
    "bakedbrie.middleware.RequestIdMiddleware",
    "bakedbrie.api.probes.ProbesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "bakedbrie.middleware.CompressionMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "bakedbrie.middleware.WrongMethodMiddleware",
]
ROOT_URLCONF = "bakedbrie.urls"
WSGI_APPLICATION = "bakedbrie.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Rows: Postgres is the truth
DATABASE_PASSWORD = envsecret("DATABASE_PASSWORD", "")
_prepared = {"server_side_binding": True, "prepare_threshold": 3}  # a plan for ten tables takes longer than its answer
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": envtext("DATABASE_NAME", "bakedbrie"),
        "USER": envtext("DATABASE_USER", "bakedbrie"),
        "PASSWORD": DATABASE_PASSWORD,
        "HOST": envtext("DATABASE_HOST", ""),
        "PORT": str(envint("DATABASE_PORT", 5432, least=1, most=65535)),
        "CONN_MAX_AGE": envint("DATABASE_CONN_MAX_AGE", 600),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "connect_timeout": 10,  # seconds; a host that drops packets would hold a request for minutes
            **(_prepared if envbool("DATABASE_PREPARED", default=True) else {}),
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ATOMIC_REQUESTS = False
AUTH_USER_MODEL = "workspaces.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
# allauth keeps passkeys, second factors and sessions. Its own pages are not served; who tries how often is counted in
# workspaces/services/tries.py, and nowhere else.
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = False
MFA_RATE_LIMITS = False
MFA_ADAPTER = "workspaces.second_factors.SealedFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"

# Time and language
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False

# Files: static ones with the code, card files on disk or in the operator's bucket
STATIC_URL = f"{APP_PATH}/static/"
STATIC_ROOT = DATA / "static"
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "bakedbrie.page_scripts.PageScripts",
]
FILES_BUCKET = envtext("FILES_BUCKET", "")
_no_key = None if FILES_BUCKET else ""  # asked for where there is a bucket
FILES_ACCESS_KEY = envsecret("FILES_ACCESS_KEY", _no_key)
FILES_SECRET_KEY = envsecret("FILES_SECRET_KEY", _no_key)
FILES_MAX_BYTES = envint("FILES_MAX_BYTES", 45_000_000, least=1)
STORAGE_QUOTA_BYTES = envint("STORAGE_QUOTA_BYTES", 10_000_000_000, least=1)  # of one workspace
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 65_536  # larger uploads go to disk while they arrive
FILE_UPLOAD_HANDLERS = ["bakedbrie.lib.web.uploads.NoFiles"]  # a view that takes files names its own
STORAGES = {
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA / "files"}},
}
if FILES_BUCKET:
    STORAGES["default"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": FILES_BUCKET,
            "access_key": FILES_ACCESS_KEY,
            "secret_key": FILES_SECRET_KEY,
            "endpoint_url": envtext("FILES_ENDPOINT", "") or None,
            "region_name": envtext("FILES_REGION", "") or None,
            "addressing_style": "path",
            "file_overwrite": False,
            "default_acl": None,
        },
    }

# Jobs: the broker is a doorbell; leases live in Postgres
REDIS_URL = envurl("REDIS_URL", "redis://127.0.0.1:6379/0", ("redis", "rediss", "unix"))
LIVE_PREFIX = envtext("LIVE_PREFIX", "bakedbrie:")
CELERY_BROKER_URL = envurl("CELERY_BROKER_URL", REDIS_URL, setting_rules.BROKERS)
WORKER_THREADS = envint("WORKER_THREADS", 8, least=1)

# The web processes
WEB_THREADS = envint("WEB_THREADS", 4, least=1)  # pages and REST
MCP_THREADS = envint("MCP_THREADS", 2, least=1)  # MCP calls and the access checks of live pages
LIVE_STREAMS = envint("LIVE_STREAMS", 500)  # open live pages per process
CALLS_PER_MINUTE = envint("CALLS_PER_MINUTE", 1200, least=1)  # of one token, REST and MCP together

# Assistants: /mcp, and OAuth by which they are connected to it (RFC 9700 in all that it recommends)
MCP_ENABLED = envbool("MCP_ENABLED", default=True)
OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth2_provider.Application"
OAUTH2_PROVIDER = {
    "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",  # codes and refresh tokens, no other way
    "OAUTH2_VALIDATOR_CLASS": "connecting.web.validator.Validator",
    "ACCESS_TOKEN_GENERATOR": "connecting.services.secrets.new_access_token",
    "REFRESH_TOKEN_GENERATOR": "connecting.services.secrets.new_refresh_token",
    "SCOPES": {"mcp": "Work over MCP"},
    "DEFAULT_SCOPES": ["mcp"],
    "OIDC_ISS_ENDPOINT": APP_URL,
    "PKCE_REQUIRED": True,
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 90 * 24 * 3600,  # after its access token
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
}

# Turns
TURN_DEADLINE_S = envint("TURN_DEADLINE_S", 600, least=5)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["workspaces.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["workspaces.api.permissions.HasToken"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["bakedbrie.api.parsers.StrictJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["bakedbrie.api.throttles.TokenThrottle"],
    "EXCEPTION_HANDLER": "bakedbrie.api.errors.render_error",
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "bakedbrie.api.openapi.OperationSchema",
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "POSTPROCESSING_HOOKS": [],
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
}

EMAIL_HOST = envtext("EMAIL_HOST", "")  # of a server that takes mail; empty: none is sent
EMAIL_PORT = envint("EMAIL_PORT", 587, least=1, most=65535)
EMAIL_HOST_USER = envtext("EMAIL_USER", "")
EMAIL_HOST_PASSWORD = envsecret("EMAIL_PASSWORD", "")
_security = envchoice("EMAIL_SECURITY", "starttls", ("starttls", "tls", "none"))  # tls: from the first byte
EMAIL_USE_TLS, EMAIL_USE_SSL = _security == "starttls", _security == "tls"
DEFAULT_FROM_EMAIL = envtext("EMAIL_FROM", "BakedBrie <bakedbrie@localhost>")

METRICS_TOKEN = envsecret("METRICS_TOKEN", "")  # who shows it may read /metrics
METRICS_DIR = Path(envtext("METRICS_DIR", str(DATA / "metrics")))
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)  # where bakedbrie.metrics has its library look
LOG_LEVEL = envchoice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_FORMAT = envchoice("LOG_FORMAT", LogFormat.AUTO, LogFormat)

LOGGING = logging_config(
    LOG_LEVEL,
    LOG_FORMAT,
    secrets=setting_rules.secrets_in(
        values=(SECRET_KEY, DATABASE_PASSWORD, FILES_SECRET_KEY, METRICS_TOKEN),
        sealing_keys=SEALING_KEYS,
        urls=(REDIS_URL, CELERY_BROKER_URL),
    ),
)

stop_if_wrong()
