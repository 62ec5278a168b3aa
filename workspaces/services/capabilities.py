"""Capabilities: what is switched on in a workspace."""

from __future__ import annotations

import logging

from django.db import transaction

from bakedbrie.lib.refusals import INVALID_INPUT
from workspaces import capabilities
from workspaces.access import require_person, require_writer
from workspaces.caller import Caller
from workspaces.models import Workspace
from workspaces.roles import Role
from workspaces.services.audit import record_audit
from workspaces.services.members import lock_workspace

logger = logging.getLogger(__name__)


@transaction.atomic
def switch_capability(caller: Caller, *, name: str, is_on: bool) -> Workspace:
    """Switch one capability. One whose needs are off may be switched on; it counts as off until they are on."""
    require_person(caller)
    require_writer(caller, Role.ADMIN)
    if name not in capabilities.TEXTS:
        raise INVALID_INPUT(fields={"name": ["is no capability"]})
    workspace = lock_workspace(caller.workspace.pk)
    if (name in workspace.capabilities) == is_on:
        return workspace
    wanted = {*workspace.capabilities, name} if is_on else set(workspace.capabilities) - {name}
    workspace.capabilities = [known for known in capabilities.TEXTS if known in wanted]
    workspace.save(update_fields=["capabilities", "updated_at"])
    record_audit(caller, "capability.switched", capability=name, is_on=is_on)
    logger.info("Capability switched", extra={"workspace": workspace.pk, "capability": name, "is_on": is_on})
    return workspace
