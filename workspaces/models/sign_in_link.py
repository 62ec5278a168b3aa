"""A link that signs one person in, once."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from bakedbrie.lib.models import Dated


class SignInLink(Dated):
    """Opening the link only shows a button: a mail scanner that follows links signs nobody in."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "sign-in link"

    def __str__(self) -> str:
        return f"link for {self.user_id}"
