"""Addresses of this app."""

from __future__ import annotations

from django.urls import path

from connecting.addresses import RESOURCE_DOCUMENT, SERVER_DOCUMENT
from connecting.web import authorize, metadata, register, tokens

urlpatterns = [
    path(RESOURCE_DOCUMENT[1:], metadata.protected_resource),
    path(f"{RESOURCE_DOCUMENT[1:]}/mcp", metadata.protected_resource),
    path(SERVER_DOCUMENT[1:], metadata.authorization_server),
    path(".well-known/openid-configuration", metadata.authorization_server),
    path("oauth/authorize/", authorize.authorize, name="oauth-authorize"),
    path("oauth/token/", tokens.token, name="oauth-token"),
    path("oauth/register/", register.register, name="oauth-register"),
    path("oauth/revoke/", tokens.revoke, name="oauth-revoke"),
]
