"""Who may enter the API at all. What they may do is weighed by the services."""

from __future__ import annotations

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from workspaces.caller import Caller
from workspaces.refusals import UNAUTHENTICATED


class HasToken(BasePermission):
    """Every address of the API asks for a token, whatever the method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, Caller):
            raise UNAUTHENTICATED()
        return True
