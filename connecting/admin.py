"""The admin shows connected assistants among the tokens. The toolkit's own pages would write past every service."""

from __future__ import annotations

from django.contrib import admin
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

for model in (Application, Grant, AccessToken, IDToken, RefreshToken):
    admin.site.unregister(model)
