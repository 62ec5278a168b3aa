"""Who does the work and who pays."""

from __future__ import annotations

from agents.models.agent import Agent, AgentVersion
from agents.models.ai_account import AiAccount, AiBinding
from agents.models.approval import Approval, Permit
from agents.models.turn import ModelCall, Turn
from agents.models.turn_line import TurnLine

__all__ = ["Agent", "AgentVersion", "AiAccount", "AiBinding", "Approval", "ModelCall", "Permit", "Turn", "TurnLine"]
