"""The document in which a client describes itself: its address is the client's id. Fetched, checked and kept a while.

Only for somebody who is signed in: a stranger makes BakedBrie ask nobody. Who asks chooses the address, so that those
of this network that an operator opened for models and buckets are closed here, unless all of it runs on one computer.
"""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from oauth2_provider.models import Application

from bakedbrie.lib import clock, strictjson, tally
from bakedbrie.lib.outbound.client import send
from bakedbrie.lib.outbound.errors import OutboundError
from bakedbrie.lib.outbound.messages import Answer, Request
from bakedbrie.lib.outbound.urls import UrlRefused, parse_url
from bakedbrie.lib.refusals import RATE_LIMITED
from connecting.access import LONGEST_CLIENT_ID, find_client
from connecting.refusals import ASSISTANT_UNKNOWN
from connecting.rules import LOOPBACK, WrongMetadata, read_metadata
from connecting.services.clients import keep_document
from workspaces.caller import Caller

WITHIN_S = 5.0
MOST_BYTES = 16 * 1024
FETCHES_PER_HOUR = 30  # for one person
LEAST_FRESH, MOST_FRESH = timedelta(minutes=5), timedelta(days=1)
STALE_FOR = timedelta(days=1)  # the last good document counts that long where a new one cannot be had
_MAX_AGE = re.compile(r"max-age\s*=\s*([0-9]{1,9})", re.IGNORECASE)


def is_document(client_id: str) -> bool:
    return client_id.startswith("https://")


def client_of(caller: Caller, client_id: str) -> Application:
    """Return the client, by its registration or by its document as it is now; refuses what cannot be found."""
    kept = find_client(client_id)
    if not is_document(client_id):
        if kept is None:
            raise ASSISTANT_UNKNOWN()
        return kept
    if kept is not None and (kept.cimd_expires_at is None or kept.cimd_expires_at > clock.now()):
        return kept
    tried = tally.add(f"client-documents:{caller.member.user_id}", window_s=3600)
    if tried.count > FETCHES_PER_HOUR:
        raise RATE_LIMITED(retry_after_s=int(tried.wait_s) + 1)
    try:
        return _fetched(client_id)
    except OutboundError as error:
        if kept is not None and kept.cimd_expires_at > clock.now() - STALE_FOR:
            return kept
        raise ASSISTANT_UNKNOWN(f"The assistant’s description could not be fetched. {error.sentence}") from None
    except (UrlRefused, WrongMetadata, strictjson.NotJson) as error:
        raise ASSISTANT_UNKNOWN(f"The assistant’s description is not right. {error}") from None


def _fetched(client_id: str) -> Application:
    if len(client_id) > LONGEST_CLIENT_ID:
        raise UrlRefused(f"Its address may have at most {LONGEST_CLIENT_ID} characters.")
    is_at_home = urlsplit(settings.APP_URL).hostname in LOOPBACK
    target = parse_url(client_id, loopback=settings.OUTBOUND_LOOPBACK if is_at_home else [])
    if target.url != client_id or not urlsplit(client_id).path.strip("/"):
        raise UrlRefused("Its address must be spelled in the plain way, with a path.")
    headers = (("accept", "application/json"),)
    answer = send(
        Request(method="GET", url=client_id, headers=headers, timeout_s=WITHIN_S, max_bytes=MOST_BYTES),
        allow_loopback=is_at_home,
    )
    said = _read(answer)
    if said.get("client_id") != client_id:
        raise WrongMetadata("It names another client_id than its own address.")
    if said.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in said:
        raise WrongMetadata("Its client is not public (token_endpoint_auth_method).")
    return keep_document(client_id, read_metadata(said), fresh_for=_fresh_for(answer.header("cache-control") or ""))


def _read(answer: Answer) -> dict[str, object]:
    kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
    if answer.status != 200:
        raise WrongMetadata(f"Its address answered {answer.status}.")
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise WrongMetadata("It is not application/json.")
    said = strictjson.loads(answer.body, unique_keys=True)
    if not isinstance(said, dict):
        raise WrongMetadata("It is not a JSON object.")
    return said


def _fresh_for(cache_control: str) -> timedelta:
    found = _MAX_AGE.search(cache_control)
    if "no-store" in cache_control or "no-cache" in cache_control:
        return LEAST_FRESH
    given = timedelta(seconds=int(found[1])) if found else MOST_FRESH
    return max(LEAST_FRESH, min(given, MOST_FRESH))
