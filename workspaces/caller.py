"""The caller: who asks, in which workspace, with which rights. First argument of every service."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cached_property

from workspaces import capabilities
from workspaces.models import Actor, Member, Token, Workspace
from workspaces.roles import Role
from workspaces.states import Preset


@dataclass(frozen=True)
class Caller:
    """A member through a token or the web, or an agent at work on behalf of the member who started the round.

    ``actor`` is written into history. ``member`` is whose rights count: an agent never has more than the person
    it works for. ``token`` is None in the web app and for agents.
    """

    workspace: Workspace
    member: Member
    actor: Actor
    token: Token | None = None
    request_id: str = ""

    @classmethod
    def for_agent(cls, *, workspace: Workspace, agent: Actor, started_by: Member) -> Caller:
        return cls(workspace=workspace, member=started_by, actor=agent)

    @property
    def role(self) -> Role:
        return Role(self.member.role)

    @property
    def preset(self) -> Preset:
        return Preset(self.token.preset) if self.token else Preset.FULL_CONTROL

    @property
    def is_person_on_the_web(self) -> bool:
        return self.token is None and self.actor.member_id == self.member.pk

    @property
    def subject(self) -> uuid.UUID:
        """Whose request ids these are: two tokens never share a record."""
        return self.token.pk if self.token else self.member.pk

    @cached_property
    def capabilities(self) -> frozenset[str]:
        return capabilities.effective(self.workspace.capabilities)
