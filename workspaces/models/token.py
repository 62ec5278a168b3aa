"""Tokens: kept as a hash, with one of three presets; minted and shown once, or given to a connected assistant."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from workspaces.models.member import Member
from workspaces.models.workspace import Workspace
from workspaces.states import Preset, TokenKind


class Token(Dated):
    """``digest`` is the sha256 of the token; ``hint`` its last four characters, so that people tell them apart.

    That of a connected assistant is renewed every hour or so: ``access_ends_at`` is when its text stops to count,
    ``expires_at`` when it can be renewed no longer, ``audience`` the address that it is for, and ``host`` whose
    assistant it is.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="tokens")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="tokens")
    label = models.CharField(max_length=120)
    preset = models.CharField(max_length=20, choices=[(preset.value, preset.value) for preset in Preset])
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=4, editable=False)
    kind = models.CharField(
        max_length=20,
        choices=[(kind.value, kind.value) for kind in TokenKind],
        default=TokenKind.MINTED,
        db_default=TokenKind.MINTED.value,
        editable=False,
    )
    audience = models.CharField(max_length=2048, blank=True, db_default="", editable=False)
    host = models.CharField(max_length=255, blank=True, db_default="", editable=False)
    access_ends_at = models.DateTimeField(null=True, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(preset__in=list(Preset)), name="token_preset_known")]

    def __str__(self) -> str:
        return f"{self.label} (…{self.hint})"
