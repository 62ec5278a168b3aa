"""Read shapes: what REST, MCP and pages show. No digest and no secret has a field here."""

from __future__ import annotations

from rest_framework import serializers

from bakedbrie.lib import clock
from workspaces.models import Member, SecretDrop, Token, Workspace
from workspaces.services.drops import drop_command


class MemberSerializer(serializers.Serializer[Member]):
    id = serializers.UUIDField()
    owner_id = serializers.UUIDField(source="actor.id")
    name = serializers.CharField(source="actor.name")
    role = serializers.CharField()


class TokenSerializer(serializers.Serializer[Token]):
    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF takes declared fields off the class
    preset = serializers.CharField()
    hint = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField()
    state = serializers.SerializerMethodField()

    def get_state(self, token: Token) -> str:
        if token.revoked_at is not None:
            return "revoked"
        return "expired" if token.expires_at is not None and token.expires_at <= clock.now() else "live"


class PreparedDropSerializer(serializers.Serializer[SecretDrop]):
    drop_id = serializers.UUIDField(source="id")
    expires_at = serializers.DateTimeField()
    command = serializers.SerializerMethodField()

    def get_command(self, drop: SecretDrop) -> str:
        return drop_command(drop)


class DispatchSerializer(serializers.Serializer[Workspace]):
    dispatch_paused = serializers.BooleanField()
    reason = serializers.CharField(source="dispatch_reason")
