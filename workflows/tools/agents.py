"""manage_agent."""

from __future__ import annotations

from agents.access import get_agent
from agents.models import Agent
from agents.serializers import AgentSerializer, AgentVersionSerializer
from agents.services.agents import pause_agent, resume_agent
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from boards.access import get_board
from boards.serializers import show_rows
from workflows.inputs import ManageAgentIn
from workflows.services.agents import retire_agent
from workspaces.caller import Caller
