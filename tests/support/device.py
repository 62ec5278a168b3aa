"""A device that makes and uses passkeys, as a browser would pass its answers on."""

from __future__ import annotations

import json
import os
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2.cose import ES256
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

HOST = "localhost"
_FLAG = AuthenticatorData.FLAG


class Device:
    """Holds one passkey. ``verifies`` is whether it asks who is there."""

    def __init__(self, *, host: str = HOST, verifies: bool = True) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = os.urandom(32)
        self.host = host
        self.user_handle = ""
        self._flags = _FLAG.UP | _FLAG.UV if verifies else _FLAG.UP

    def make(self, options: dict[str, Any]) -> str:
        """Answer the question to make a passkey."""
        asked = options["publicKey"]
        self.user_handle = asked["user"]["id"]
        public = ES256.from_cryptography_key(self.key.public_key())  # type: ignore[no-untyped-call]
        made = AttestedCredentialData.create(Aaguid.NONE, self.id, public)
        about = AuthenticatorData.create(sha256(self.host.encode()), self._flags | _FLAG.AT, 0, made)
        return self._answer(
            self._client_data("webauthn.create", asked["challenge"]),
            {"attestationObject": websafe_encode(AttestationObject.create("none", about, {}))},
        )

    def use(self, options: dict[str, Any]) -> str:
        """Answer the question who is there."""
        client_data = self._client_data("webauthn.get", options["publicKey"]["challenge"])
        about = AuthenticatorData.create(sha256(self.host.encode()), self._flags, 0)
        signature = self.key.sign(about + sha256(client_data), ec.ECDSA(hashes.SHA256()))
        parts = {"authenticatorData": websafe_encode(about), "signature": websafe_encode(signature)}
        return self._answer(client_data, {**parts, "userHandle": self.user_handle})

    def _client_data(self, kind: str, challenge: str) -> bytes:
        origin = f"http://{self.host}:8000"
        return CollectedClientData(json.dumps({"type": kind, "challenge": challenge, "origin": origin}).encode())

    def _answer(self, client_data: bytes, parts: dict[str, str]) -> str:
        identity = websafe_encode(self.id)
        return json.dumps(
            {
                "id": identity,
                "rawId": identity,
                "type": "public-key",
                "response": {"clientDataJSON": websafe_encode(client_data), **parts},
                "clientExtensionResults": {},
                "authenticatorAttachment": "platform",
            }
        )


def at_host(**more: str) -> Client:
    """Return a browser that opened the site by its name: passkeys belong to names."""
    return Client(headers={"Host": f"{HOST}:8000", **more})
