"""The address that people use: asked from here, as a browser asks it, and compared with what arrived."""

from __future__ import annotations

import http.client
import secrets
import socket
import ssl
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from bakedbrie.doctor.finding import Finding, ok, wrong

ANSWER_WITHIN_S = 10
TICKET_FOR_S = 60
LONGEST_ANSWER = 4096
_ASK, _TELL = "bakedbrie.doctor.ask", "bakedbrie.doctor.tell"
PATH = "/health/seen"


def seen(request: HttpRequest) -> HttpResponse:
    """Tell a doctor of this instance how its request arrived; whoever has no ticket learns nothing."""
    try:
        nonce = signing.loads(request.GET.get("ticket", ""), salt=_ASK, max_age=TICKET_FOR_S)
    except signing.BadSignature:
        return HttpResponse(status=404)
    told = {"nonce": nonce, "host": request.META.get("HTTP_HOST", ""), "scheme": request.scheme}
    return HttpResponse(signing.dumps(told, salt=_TELL), content_type="text/plain")


@dataclass(frozen=True, kw_only=True)
class Arrived:
    status: int
    body: str
    location: str


def check_address(id: str) -> Finding:
    nonce = secrets.token_urlsafe(16)
    try:
        arrived = _ask(f"{PATH}?ticket={quote(signing.dumps(nonce, salt=_ASK))}")
    except socket.gaierror:
        return wrong(id, f"The host of {settings.APP_URL} has no address.", "Look at APP_URL and at the name's DNS.")
    except ssl.SSLError as error:
        fix = f"Mend the proxy's certificate; your own authority's goes into OUTBOUND_CA_FILE. It said: {error.reason}"
        return wrong(id, f"The certificate of {settings.APP_URL} is not trusted.", fix)
    except (OSError, http.client.HTTPException) as error:
        fix = f"Start the web processes and the proxy, and see that this machine reaches it. {type(error).__name__}"
        return wrong(id, f"Nobody answers at {settings.APP_URL}.", fix)
    if arrived.location:
        fix = f"Look at APP_URL and at what the proxy does with it: it led to {arrived.location[:200]}"
        return wrong(id, f"{settings.APP_URL} leads elsewhere ({arrived.status}).", fix)
    try:
        told = signing.loads(arrived.body, salt=_TELL, max_age=TICKET_FOR_S)
    except signing.BadSignature:
        fix = "See that the proxy passes everything below APP_URL to these processes, and that all have one SECRET_KEY."
        return wrong(id, f"Something else answers at {settings.APP_URL} ({arrived.status}).", fix)
    return _judge(id, told, nonce)


def _judge(id: str, told: dict[str, str], nonce: str) -> Finding:
    url = urlsplit(settings.APP_URL)
    if told["nonce"] != nonce:
        return wrong(id, f"{settings.APP_URL} gives old answers.", "Let the proxy keep no answers (Cache-Control).")
    if told["host"].lower() != url.netloc.lower():
        fix = "Let the proxy pass the Host header on (nginx: proxy_set_header Host $http_host)."
        return wrong(id, f"A request for {url.netloc} arrives as one for {told['host']}.", fix)
    if told["scheme"] != url.scheme:
        fix = "Let the proxy set X-Forwarded-Proto to the scheme it was asked with, and set BEHIND_PROXY=true."
        return wrong(id, f"A request over {url.scheme} arrives as one over {told['scheme']}.", fix)
    return ok(id, f"{settings.APP_URL} leads here, with its own host and scheme.")


def _ask(path: str) -> Arrived:
    """One GET by the standard library: our own outbound door refuses this computer, which is what is asked here."""
    url = urlsplit(settings.APP_URL)
    connection: http.client.HTTPConnection
    if url.scheme == "https":
        context = ssl.create_default_context()
        if settings.OUTBOUND_CA_FILE:
            context.load_verify_locations(settings.OUTBOUND_CA_FILE)
        connection = http.client.HTTPSConnection(url.netloc, timeout=ANSWER_WITHIN_S, context=context)
    else:
        connection = http.client.HTTPConnection(url.netloc, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", url.path + path, headers={"User-Agent": "BakedBrie doctor"})
        answer = connection.getresponse()
        body = answer.read(LONGEST_ANSWER).decode(errors="replace")
        location = answer.headers.get("Location", "") if 300 <= answer.status < 400 else ""
        return Arrived(status=answer.status, body=body, location=location)
    finally:
        connection.close()
