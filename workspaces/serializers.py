"""Read shapes: what REST, MCP and pages show. No digest and no secret has a field here."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from bakedbrie.lib import clock
from workspaces.models import Actor, AuditEntry, Invite, Member, SecretDrop, Token, Workspace
from workspaces.selectors import Capability
from workspaces.services.drops import drop_command


class ActorSerializer(serializers.Serializer[Actor]):
    id = serializers.UUIDField()
    kind = serializers.CharField()
    name = serializers.CharField()


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
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    state = serializers.SerializerMethodField()

    def get_state(self, token: Token) -> str:
        if token.revoked_at is not None:
            return "revoked"
        return "expired" if token.expires_at is not None and token.expires_at <= clock.now() else "live"


class InviteSerializer(serializers.Serializer[Invite]):
    """An invite that can still be accepted. Its link is shown once, to whoever made it."""

    id = serializers.UUIDField()
    email = serializers.EmailField()
    role = serializers.CharField()
    invited_by = ActorSerializer(source="invited_by.actor")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class AuditEntrySerializer(serializers.Serializer[AuditEntry]):
    id = serializers.UUIDField()
    verb = serializers.CharField()
    actor = ActorSerializer()
    data: Any = serializers.JSONField()
    created_at = serializers.DateTimeField()


class CapabilitySerializer(serializers.Serializer[Capability]):
    name = serializers.CharField()
    about = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField(), help_text="It is off while one of these is.")
    is_on = serializers.BooleanField()


class PreparedDropSerializer(serializers.Serializer[SecretDrop]):
    drop_id = serializers.UUIDField(source="id")
    expires_at = serializers.DateTimeField()
    command = serializers.SerializerMethodField()

    def get_command(self, drop: SecretDrop) -> str:
        return drop_command(drop)


class DispatchSerializer(serializers.Serializer[Workspace]):
    dispatch_paused = serializers.BooleanField()
    reason = serializers.CharField(source="dispatch_reason")
