"""Who may enter the API at all. What they may do is weighed by the services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from workspaces.caller import Caller
from workspaces.refusals import UNAUTHENTICATED

if TYPE_CHECKING:  # DRF reads its settings, and with them this module, while it loads its views
    from rest_framework.views import APIView


class HasToken(BasePermission):
    """Every address of the API asks for a token, whatever the method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, Caller):
            raise UNAUTHENTICATED()
        return True
