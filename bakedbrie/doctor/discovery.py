"""The way that assistants walk to be connected: from /mcp over two documents to the doors, asked as they ask.

What a document names must be what the next one calls itself, byte for byte, or clients stop there.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from bakedbrie import setting_rules
from bakedbrie.doctor.finding import Finding, note, ok, skipped, wrong
from bakedbrie.lib.outbound.addresses import is_public
from connecting.addresses import (
    RESOURCE_DOCUMENT,
    SERVER_DOCUMENT,
    at_the_root,
    below,
    issuer,
    resource,
    resource_document,
)

WITHIN_S = 10
LONGEST_ANSWER = 32 * 1024
_FORM, _JSON = {"Content-Type": "application/x-www-form-urlencoded"}, {"Content-Type": "application/json"}
_PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
_PASS_ON = "Let the proxy pass everything below APP_URL to these processes, and each answer back as it is."
_AT_ROOT = "Lead this one address of the host here as well, as deploy/proxies/ does."


class NoAnswer(Exception):
    """Why nothing came, and what to do about it."""

    def __init__(self, says: str, fix: str) -> None:
        super().__init__(says)
        self.says, self.fix = says, fix


@dataclass(frozen=True, kw_only=True)
class Heard:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, Any] | None:
        """Return the object that came, or None for whatever else."""
        if self.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return None
        try:
            said = json.loads(self.body)
        except ValueError:
            return None
        return said if isinstance(said, dict) else None


def check_switch(id: str) -> Finding:
    if settings.MCP_ENABLED:
        return ok(id, f"Assistants are let in at {resource()}.")
    return wrong(
        id, "MCP is off, and no metadata is served.", "Set MCP_ENABLED=true and start the web processes again."
    )


def check_challenge(id: str) -> Finding:
    """The first call has no token: the answer says where to go on."""
    heard = ask("POST", resource(), body=_PING, headers=_JSON)
    if heard.status != 401:
        fix = f"{_PASS_ON} Look at whether it lets POST through, and at whether MCP is on (MCP_ENABLED)."
        return wrong(id, f"{resource()} answers {heard.status} to a call without a token, not 401.", fix)
    challenge = heard.headers.get("www-authenticate", "")
    named = re.search(r'resource_metadata="([^"]*)"', challenge)
    if named is None:
        return wrong(id, "The answer 401 does not say where to go on (WWW-Authenticate).", _PASS_ON)
    if named[1] != resource_document():
        fix = "Start the web processes again with this APP_URL."
        return wrong(id, f"The answer 401 leads to {named[1][:200]}, not to {resource_document()}.", fix)
    return ok(id, "A call without a token is told where to go on.")


def check_resource(id: str) -> Finding:
    return _judge_resource(id, resource_document(), _PASS_ON)


def check_resource_at_root(id: str) -> Finding:
    """Some clients go there without asking /mcp first."""
    address = at_the_root(RESOURCE_DOCUMENT, resource())
    return _judge_resource(id, address, _AT_ROOT if settings.APP_PATH else _PASS_ON)


def check_server(id: str) -> Finding:
    address = at_the_root(SERVER_DOCUMENT, issuer())
    said = _document(id, address, _AT_ROOT if settings.APP_PATH else _PASS_ON)
    if isinstance(said, Finding):
        return said
    if said.get("issuer") != issuer():
        fix = "Spell APP_URL as the address is used, and start the web processes again."
        return wrong(id, f"{address} speaks of {said.get('issuer')}, not of {issuer()}.", fix)
    outside = [key for key, value in said.items() if key.endswith("_endpoint") and not _is_below(value)]
    if outside:
        return wrong(id, f"Addresses outside APP_URL: {', '.join(sorted(outside))}.", _PASS_ON)
    return ok(id, f"{address} is about {issuer()}.")


def check_doors(id: str) -> Finding:
    """Each is asked for nothing, and must refuse it in its own words."""
    tried = {
        below("/oauth/token/"): ask("POST", below("/oauth/token/"), headers=_FORM),
        below("/oauth/register/"): ask("POST", below("/oauth/register/"), body=b"{}", headers=_JSON),
        below("/oauth/revoke/"): ask("POST", below("/oauth/revoke/"), headers=_FORM),
    }
    for address, heard in tried.items():
        said = heard.json()
        if said is None or "error" not in said:
            return wrong(id, f"{address} answers {heard.status} without a reason that clients read.", _PASS_ON)
    page = ask("GET", below("/oauth/authorize/"))
    if page.status != 302 or not _is_below(_absolute(page.headers.get("location", ""))):
        address = below("/oauth/authorize/")
        return wrong(id, f"{address} answers {page.status} and does not lead to the sign-in.", _PASS_ON)
    return ok(id, "The page for people and the doors for tokens and registrations answer.")


def check_reach(id: str) -> Finding:
    """Assistants on the web come from the internet, and over https."""
    fix = "To use them, give it an https address that the internet reaches (APP_URL), behind a proxy."
    if setting_rules.is_this_computer(issuer()):
        return note(id, "Only assistants on this computer reach it; those on the web, such as claude.ai, do not.", fix)
    host = urlsplit(issuer()).hostname or ""
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)}
    except socket.gaierror:
        return wrong(id, f"{host} has no address.", "Look at APP_URL and at the name's DNS.")
    inside = [one for one in found if not is_public(ip_address(one.partition("%")[0]))]
    if inside:
        return note(id, f"Seen from here, {host} is {inside[0]}, which assistants on the web do not reach.", fix)
    return ok(id, f"{host} has a public address; whether a firewall lets the internet in cannot be seen from here.")


WALK: Mapping[str, Callable[[str], Finding]] = {
    "MCP_SWITCH": check_switch,
    "MCP_CHALLENGE": check_challenge,
    "MCP_RESOURCE": check_resource,
    "MCP_RESOURCE_ROOT": check_resource_at_root,
    "MCP_SERVER": check_server,
    "MCP_DOORS": check_doors,
    "MCP_REACH": check_reach,
}


def _asking(check: Callable[[str], Finding]) -> Callable[[str], Finding]:
    def checked(id: str) -> Finding:
        if not settings.MCP_ENABLED and check is not check_switch:
            return skipped(id, "MCP is off")
        try:
            return check(id)
        except NoAnswer as error:
            return wrong(id, error.says, error.fix)

    return checked


MCP_CHECKS: Mapping[str, Callable[[str], Finding]] = {id: _asking(check) for id, check in WALK.items()}


def ask(method: str, address: str, *, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Heard:
    """Ask once, by the standard library: our own outbound door refuses this computer, which is what is asked here."""
    url = urlsplit(address)
    connection: http.client.HTTPConnection
    if url.scheme == "https":
        context = ssl.create_default_context()
        if settings.OUTBOUND_CA_FILE:
            context.load_verify_locations(settings.OUTBOUND_CA_FILE)
        connection = http.client.HTTPSConnection(url.netloc, timeout=WITHIN_S, context=context)
    else:
        connection = http.client.HTTPConnection(url.netloc, timeout=WITHIN_S)
    sent = {"User-Agent": "BakedBrie doctor", "Accept": "application/json, text/event-stream", **(headers or {})}
    try:
        connection.request(method, url.path, body or None, sent)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return Heard(status=answer.status, headers=told, body=answer.read(LONGEST_ANSWER))
    except ssl.SSLError as error:
        fix = f"Mend the proxy's certificate; your own authority's goes into OUTBOUND_CA_FILE. It said: {error.reason}"
        raise NoAnswer(f"The certificate of {url.netloc} is not trusted.", fix) from None
    except (OSError, http.client.HTTPException) as error:
        fix = f"Start the web processes and the proxy, and see that this machine reaches it. {type(error).__name__}"
        raise NoAnswer(f"Nobody answers at {address}.", fix) from None
    finally:
        connection.close()


def _judge_resource(id: str, address: str, fix: str) -> Finding:
    said = _document(id, address, fix)
    if isinstance(said, Finding):
        return said
    if said.get("resource") != resource():
        restart = "Spell APP_URL as the address is used, and start the web processes again."
        return wrong(id, f"{address} speaks of {said.get('resource')}, not of {resource()}.", restart)
    if said.get("authorization_servers") != [issuer()]:
        return wrong(id, f"{address} names another server of tokens than {issuer()}.", fix)
    return ok(id, f"{address} is about {resource()}.")


def _document(id: str, address: str, fix: str) -> dict[str, Any] | Finding:
    heard = ask("GET", address)
    said = heard.json()
    if heard.status != 200 or said is None:
        what = heard.headers.get("content-type", "nothing").partition(";")[0]
        return wrong(id, f"{address} answers {heard.status} with {what}, not 200 with JSON.", fix)
    return said


def _is_below(address: object) -> bool:
    return isinstance(address, str) and address.startswith(f"{issuer()}/")


def _absolute(location: str) -> str:
    parts = urlsplit(issuer())
    return f"{parts.scheme}://{parts.netloc}{location}" if location.startswith("/") else location
