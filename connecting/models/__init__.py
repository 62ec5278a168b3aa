"""What a person allowed an assistant. Clients, codes and refresh tokens are rows of django-oauth-toolkit."""

from __future__ import annotations

from connecting.models.consent import Consent

__all__ = ["Consent"]
