"""What clients read to find their way: about the resource (RFC 9728) and about who gives tokens for it (RFC 8414)."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from connecting.addresses import SCOPE, issuer, resource
from connecting.web.machine import for_programs

FRESH = {"Cache-Control": "public, max-age=300"}


@for_programs("GET", "HEAD")
def protected_resource(request: HttpRequest) -> HttpResponse:
    said = {
        "resource": resource(),
        "authorization_servers": [issuer()],
        "scopes_supported": [SCOPE],
        "bearer_methods_supported": ["header"],
        "resource_name": "BakedBrie",
        "resource_documentation": f"{_site()}{reverse('document', args=['assistants'])}",
    }
    return JsonResponse(said, headers=FRESH)


@for_programs("GET", "HEAD")
def authorization_server(request: HttpRequest) -> HttpResponse:
    said = {
        "issuer": issuer(),
        "authorization_endpoint": f"{_site()}{reverse('oauth-authorize')}",
        "token_endpoint": f"{_site()}{reverse('oauth-token')}",
        "registration_endpoint": f"{_site()}{reverse('oauth-register')}",
        "revocation_endpoint": f"{_site()}{reverse('oauth-revoke')}",
        "scopes_supported": [SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "service_documentation": f"{_site()}{reverse('document', args=['assistants'])}",
    }
    return JsonResponse(said, headers=FRESH)


def _site() -> str:
    """Return scheme and host: what `reverse` gives begins with the path of APP_URL already."""
    parts = urlsplit(issuer())
    return f"{parts.scheme}://{parts.netloc}"
