"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from workspaces.web import audit, capabilities, first_run, invites, members, preferences, sign_in, tokens, workspace

urlpatterns = [
    path("setup/", first_run.where_to_find, name="first-run-where"),
    path("setup/<str:code>/", first_run.make_owner, name="first-run"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/link/<str:raw>/", sign_in.sign_in_link, name="sign-in-link"),
    path("invites/<str:raw>/", invites.invite, name="invite"),
    path("settings/", workspace.settings_page, name="settings"),
    path("settings/stop/", workspace.stop, name="stop-work"),
    path("settings/resume/", workspace.resume, name="resume-work"),
    path("settings/leave/", workspace.leave, name="leave-workspace"),
    path("settings/members/", members.members, name="settings-members"),
    path("settings/members/<str:member_id>/role/", members.role, name="change-role"),
    path("settings/members/<str:member_id>/remove/", members.remove, name="remove-member"),
    path("settings/invites/", invites.make_invite, name="make-invite"),
    path("settings/invites/<str:invite_id>/take-back/", invites.take_back, name="take-invite-back"),
    path("settings/capabilities/", capabilities.show, name="settings-capabilities"),
    path("settings/capabilities/<str:name>/", capabilities.switch, name="switch-capability"),
    path("settings/audit/", audit.trail, name="settings-audit"),
    path("settings/tokens/", tokens.tokens, name="own-tokens"),
    path("settings/tokens/<str:token_id>/revoke/", tokens.revoke, name="revoke-own-token"),
    path("tokens/", tokens.moved),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("preferences/", preferences.preferences, name="preferences"),
    path("workspace/", sign_in.switch_workspace, name="switch-workspace"),
]
