"""The cast: one workspace with a person in each role, and Charlie, who owns another one."""

from __future__ import annotations

import pytest
from django.test import Client
from rest_framework.test import APIClient

from tests.factories.workspaces import make_member, make_workspace
from tests.support.canary import plant
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.tokens import mint_token
from workspaces.states import Preset


@pytest.fixture
def alice(db: None) -> Caller:
    """The owner of Alice's Bakery, as on the web."""
    return make_workspace(name="Alice's Bakery", owner="Alice Archer")


@pytest.fixture
def amir(alice: Caller) -> Caller:
    """An admin beside Alice."""
    return make_member(alice, name="Amir Aziz", role=Role.ADMIN)


@pytest.fixture
def mia(alice: Caller) -> Caller:
    """A plain member beside Alice."""
    return make_member(alice, name="Mia Moreau", role=Role.MEMBER)


@pytest.fixture
def vic(alice: Caller) -> Caller:
    """A viewer beside Alice."""
    return make_member(alice, name="Vic Varga", role=Role.VIEWER)


@pytest.fixture
def charlie(db: None) -> Caller:
    """The owner of another workspace: nothing of Alice's is his to see."""
    return make_workspace(name="Charlie's Cheese", owner="Charlie Cole")


def token_of(caller: Caller, preset: Preset = Preset.FULL_CONTROL) -> str:
    """Mint a token of that person and return its text."""
    _, raw = mint_token(caller, label=f"{preset.value} of {caller.actor.name}", preset=preset)
    return plant(raw)


def api(caller: Caller, preset: Preset = Preset.FULL_CONTROL) -> APIClient:
    """Return a REST client that sends a fresh token of that person."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(caller, preset)}")
    return client


def browser(caller: Caller) -> Client:
    """Return a browser in which that person is signed in."""
    client = Client()
    client.force_login(caller.member.user)
    return client
