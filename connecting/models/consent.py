"""A person's answer to an assistant that asked: yes, here, and with this preset."""

from __future__ import annotations

from django.db import models
from oauth2_provider.models import Application

from bakedbrie.lib.models import Dated
from workspaces.models import Member, Token
from workspaces.states import Preset


class Consent(Dated):
    """``code_digest`` is the sha256 of the code that the assistant was sent; ``token`` is there once it came for it.

    ``family`` names the refresh tokens that came of it: whoever shows an old one of them ends the token.
    """

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    client = models.ForeignKey(Application, on_delete=models.CASCADE, related_name="consents")
    preset = models.CharField(max_length=20, choices=[(preset.value, preset.value) for preset in Preset])
    code_digest = models.CharField(max_length=64, unique=True, editable=False)
    family = models.UUIDField(null=True, unique=True, editable=False)
    token = models.OneToOneField(Token, on_delete=models.CASCADE, null=True, related_name="consent")

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(preset__in=list(Preset)), name="consent_preset_known")]

    def __str__(self) -> str:
        return f"{self.client_id} ({self.preset})"
