"""Pages of this app."""

from __future__ import annotations

from django.urls import path

from workspaces.web import invites, sign_in, tokens

urlpatterns = [
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/link/<str:raw>/", sign_in.sign_in_link, name="sign-in-link"),
    path("invites/<str:raw>/", invites.invite, name="invite"),
    path("settings/tokens/", tokens.tokens, name="own-tokens"),
    path("settings/tokens/<str:token_id>/revoke/", tokens.revoke, name="revoke-own-token"),
    path("tokens/", tokens.moved),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("workspace/", sign_in.switch_workspace, name="switch-workspace"),
]
