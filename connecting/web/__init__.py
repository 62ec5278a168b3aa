"""Doors: the pages and addresses of OAuth."""

from __future__ import annotations
