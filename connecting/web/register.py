"""Dynamic registration (RFC 7591), for clients that do not describe themselves in a document."""

from __future__ import annotations

from datetime import UTC, datetime
from ipaddress import IPv6Address, ip_address, ip_network
from typing import cast

from django.http import HttpRequest, HttpResponse, JsonResponse

from bakedbrie.lib import strictjson
from bakedbrie.lib.refusals import Refused
from connecting.addresses import SCOPE
from connecting.rules import WrongMetadata, read_metadata
from connecting.services.clients import register_client
from connecting.web.machine import NO_STORE, for_programs, problem
from workspaces.web.entering import origin_of

_BUSY = 429
_OF_ONE_HOUSEHOLD = 64  # bits of an IPv6 address


@for_programs("POST")
def register(request: HttpRequest) -> HttpResponse:
    """Answer with what was kept: whatever way of proving itself a client asks for, it gets none, for it is public."""
    try:
        metadata = read_metadata(strictjson.loads(request.body))
        client = register_client(metadata, network=_network(origin_of(request).ip))
    except strictjson.NotJson as error:
        return problem("invalid_client_metadata", str(error))
    except WrongMetadata as error:
        return problem(error.error, str(error))
    except Refused as refused:
        wait = str(refused.details["retry_after_s"])
        return problem("temporarily_unavailable", refused.message, _BUSY, {"Retry-After": wait})
    issued = cast(datetime, client.created).astimezone(UTC)
    said = {
        "client_id": client.client_id,
        "client_id_issued_at": int(issued.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris.split(),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": SCOPE,
    }
    return JsonResponse(said, status=201, headers=NO_STORE)


def _network(ip: str) -> str:
    try:
        address = ip_address(ip)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        return str(ip_network((address, _OF_ONE_HOUSEHOLD), strict=False))
    return str(address)
