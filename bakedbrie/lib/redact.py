"""Takes known secrets out of what a service sent back, in the forms in which services echo them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

REMOVED = "[removed]"
# Shorter ones stand in ordinary words, and base64 of a few bytes in ordinary text.
LEAST_CHARACTERS = 6
_LEAST_FOR_BASE64 = 12


class Redactor:
    """Knows some secrets; shows none of them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if len(secret) >= LEAST_CHARACTERS for form in _forms(secret)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(re.escape(form) for form in self._forms)) if forms else None

    def __repr__(self) -> str:
        return "Redactor(…)"

    def text(self, text: str) -> str:
        """Return ``text`` with every form of every secret replaced by ``[removed]``."""
        return self._pattern.sub(REMOVED, text) if self._pattern else text

    def cut_text(self, text: str) -> str:
        """Do as `text`, for a text that may have been cut off: the beginning of a secret at its end goes as well."""
        clean = self.text(text)
        begun = self._begun(clean, LEAST_CHARACTERS)
        return clean[: len(clean) - begun] + REMOVED if begun else clean

    def split(self, text: str) -> tuple[str, str]:
        """Return what can be shown of a text that goes on, and its end, in which a secret may have begun.

        The end goes before the next piece of the text.
        """
        clean = self.text(text)
        safe = len(clean) - self._begun(clean, 1)
        return clean[:safe], clean[safe:]

    def value(self, value: object) -> object:
        """Return a JSON value with the secrets removed from its texts and keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def _begun(self, text: str, least: int) -> int:
        """Return how many characters at the end of the text are the beginning of a secret, the most there are."""
        most = min(len(text), len(self._forms[0]) - 1) if self._forms else 0
        ends = (text[-length:] for length in range(most, least - 1, -1))
        return next((len(end) for end in ends if any(form.startswith(end) for form in self._forms)), 0)


def _forms(secret: str) -> set[str]:
    """Return the secret as written, in JSON, in a URL and, when long enough, in base64."""
    percent = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    percent |= {re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), form) for form in percent}
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    forms = {secret, *percent, *escaped, *(form.replace("/", "\\/") for form in escaped)}
    return forms | _base64_forms(secret.encode()) if len(secret) >= _LEAST_FOR_BASE64 else forms


def _base64_forms(raw: bytes) -> set[str]:
    """Return what base64 makes of the secret wherever it stands in the encoded bytes (``user:secret`` shifts it)."""
    forms: set[str] = set()
    for shift in range(3):
        start = (0, 2, 3)[shift]
        whole_end = (shift + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms.add(encode(b"\0" * shift + raw).decode()[start:whole_end])
    return forms
