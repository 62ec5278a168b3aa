"""Routes of this app, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from workspaces.api.admin_views import AuditView, InvitesView
from workspaces.api.capability_views import CapabilitiesView
from workspaces.api.drop_views import FillDropView
from workspaces.api.member_views import MembersView, MemberView
from workspaces.api.token_views import RevokeTokenView, TokensView

urlpatterns = [
    path("drops/<str:drop_id>", FillDropView.as_view(), name="fill-drop"),
    path("members", MembersView.as_view(), name="members"),
    path("members/<str:member_id>", MemberView.as_view(), name="member"),
    path("invites", InvitesView.as_view(), name="invites"),
    path("audit", AuditView.as_view(), name="audit"),
    path("capabilities", CapabilitiesView.as_view(), name="capabilities"),
    path("tokens", TokensView.as_view(), name="tokens"),
    path("tokens/<str:token_id>/revoke", RevokeTokenView.as_view(), name="revoke-token"),
]
