"""BakedBrie: boards where people and AI agents do work together, and nothing goes out more than once."""

from __future__ import annotations

from bakedbrie.celery import app as celery_app

__all__ = ["celery_app"]
