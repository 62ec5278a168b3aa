"""The admin speaks of the product by its own words."""

from __future__ import annotations

import pytest
from django.test import Client

from workspaces.models import User

pytestmark = pytest.mark.django_db


def test_the_admin_is_named_after_the_product(client: Client) -> None:
    client.force_login(User.objects.create_superuser("operator@example.com", "a long password"))

    page = client.get("/admin/").content.decode()

    assert "BakedBrie" in page
    assert "Django administration" not in page
    assert [name for name in ("AI accounts", "AI account bindings", "Sign-in links") if name not in page] == []
