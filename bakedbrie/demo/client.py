"""A caller of the public API with a token, as any program would be: nothing here knows Django."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

_OPENER = build_opener(ProxyHandler({}))


class ApiRefused(Exception):
    """The API said no: its code, message and fix."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code = str(error.get("code", "UNKNOWN"))
        self.message = str(error.get("message", ""))
        self.fix = str(error.get("fix", ""))
        super().__init__(f"{self.code}: {self.message} {self.fix}".strip())


@dataclass(frozen=True)
class ApiClient:
    """``base_url`` is the web address; ``token`` is shown in no repr."""

    base_url: str
    token: str

    def __repr__(self) -> str:
        return f"ApiClient({self.base_url})"

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Call one tool and return what stands under ``untrusted_data``."""
        body = json.dumps({**arguments, "request_id": f"demo-{uuid.uuid4()}"}).encode()
        answer = self.send("POST", f"/api/v1/tools/{name}", body, "application/json")
        content: dict[str, Any] = answer["untrusted_data"]
        return content

    def upload(self, card_id: str, path: Path) -> dict[str, Any]:
        """Put one file on a card, as the raw body of the request."""
        return self.send(
            "POST", f"/api/v1/cards/{card_id}/files?name={path.name}", path.read_bytes(), "application/octet-stream"
        )

    def send(self, method: str, path: str, body: bytes | None = None, content_type: str = "") -> dict[str, Any]:
        """Send one request and return its JSON; raise `ApiRefused` with what the server said."""
        request = Request(self.base_url + path, data=body, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/json")
        if content_type:
            request.add_header("Content-Type", content_type)
        try:
            with _OPENER.open(request, timeout=60) as response:
                text = response.read()
        except HTTPError as error:
            raise ApiRefused(_error_of(error)) from None
        answer: dict[str, Any] = json.loads(text) if text else {}
        return answer


def _error_of(error: HTTPError) -> dict[str, Any]:
    try:
        body: dict[str, Any] = json.loads(error.read())["error"]
    except (ValueError, KeyError):
        return {"code": f"HTTP_{error.code}", "message": "The server gave no reason."}
    return body
