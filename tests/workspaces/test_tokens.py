"""Tokens: 256 bits shown once, kept as a digest, minted by people, revoked from the next call on."""

from __future__ import annotations

import base64
import hashlib
from datetime import timedelta

import pytest
from django.db import connection
from django.forms.models import model_to_dict
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib import clock, ids
from bakedbrie.lib.refusals import Refused
from tests.factories.workspaces import token_caller
from tests.support.cast import token_of
from workspaces.access import get_token
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Token
from workspaces.selectors import tokens_of, workspace_tokens
from workspaces.services.actors import add_agent_actor
from workspaces.services.members import remove_member
from workspaces.services.tokens import mint_token, note_use, revoke_token
from workspaces.states import Preset


@pytest.mark.requirement("W008", "W011")
def test_a_token_has_256_random_bits_and_only_its_digest_is_kept(mia: Caller) -> None:
    token, raw = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)

    assert raw.startswith("bb_")
    assert len(base64.urlsafe_b64decode(raw.removeprefix("bb_") + "=")) == 32
    assert token.digest == hashlib.sha256(raw.encode()).hexdigest()
    assert raw not in repr(token) + str(token) + repr(model_to_dict(token)) + repr(vars(token))
    assert AuditEntry.objects.latest("pk").data == {
        "token": str(token.pk),
        "label": "laptop",
        "preset": "full_control",
    }


@pytest.mark.requirement("W011")
def test_only_a_person_on_the_web_mints(mia: Caller) -> None:
    agent = add_agent_actor(mia.workspace, board_id=ids.new_id(), name="Scout")
    by_agent = Caller.for_agent(workspace=mia.workspace, agent=agent, started_by=mia.member)
    by_token = token_caller(token_of(mia))

    for caller in (by_agent, by_token):
        with pytest.raises(Refused) as refused:
            mint_token(caller, label="more", preset=Preset.FULL_CONTROL)
        assert refused.value.code == "PERSON_ONLY"

    assert tokens_of(mia).count() == 1


def test_an_expiry_in_the_past_is_refused(mia: Caller) -> None:
    with pytest.raises(Refused) as refused:
        mint_token(mia, label="late", preset=Preset.READ_ONLY, expires_at=clock.now())

    assert (refused.value.code, refused.value.details) == (
        "INVALID_INPUT",
        {"fields": {"expires_at": ["must be in the future"]}},
    )


def test_revoking_counts_once_and_is_for_owners_of_the_token_and_admins(
    alice: Caller, amir: Caller, mia: Caller, vic: Caller, charlie: Caller
) -> None:
    token, _ = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)

    for stranger in (vic, charlie):
        with pytest.raises(Refused) as refused:
            revoke_token(stranger, token=token)
        assert refused.value.code == "NOT_FOUND"
        with pytest.raises(Refused) as refused:
            get_token(stranger, str(token.pk))
        assert refused.value.code == "NOT_FOUND"
    revoke_token(amir, token=token)
    revoke_token(mia, token=get_token(mia, str(token.pk)))

    assert Token.objects.get(pk=token.pk).revoked_at is not None
    assert AuditEntry.objects.filter(verb="token.revoked").count() == 1


@pytest.mark.requirement("C098")
@pytest.mark.parametrize(
    ("preset", "code"), [(Preset.READ_ONLY, "TOKEN_READ_ONLY"), (Preset.RUNNER, "TOKEN_RUNNER_ONLY")]
)
def test_lesser_tokens_revoke_nothing(mia: Caller, preset: Preset, code: str) -> None:
    token, _ = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)

    with pytest.raises(Refused) as refused:
        revoke_token(token_caller(token_of(mia, preset)), token=token)

    assert refused.value.code == code
    assert Token.objects.get(pk=token.pk).revoked_at is None


def test_everybody_lists_their_own_and_admins_list_all(alice: Caller, amir: Caller, mia: Caller) -> None:
    own, _ = mint_token(mia, label="mine", preset=Preset.READ_ONLY)
    other, _ = mint_token(alice, label="hers", preset=Preset.READ_ONLY)

    assert list(tokens_of(mia)) == [own]
    assert list(workspace_tokens(amir)) == [other, own]
    with pytest.raises(Refused) as refused:
        workspace_tokens(mia)
    assert refused.value.code == "FORBIDDEN"


def test_use_is_noted_at_most_once_a_minute(mia: Caller) -> None:
    token, _ = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        note_use(token)
        token.refresh_from_db()
        first = token.last_used_at
        note_use(token)
        stale = Token.objects.get(pk=token.pk)
        stale.last_used_at = None
        note_use(stale)

    assert first is not None
    assert Token.objects.get(pk=token.pk).last_used_at == first
    assert len([query for query in queries if query["sql"].startswith("UPDATE")]) == 2

    Token.objects.filter(pk=token.pk).update(last_used_at=first - timedelta(seconds=61))
    token.refresh_from_db()
    note_use(token)
    noted = Token.objects.get(pk=token.pk).last_used_at
    assert noted is not None
    assert noted >= first


def test_somebody_removed_meanwhile_mints_nothing(alice: Caller, mia: Caller) -> None:
    remove_member(alice, member=mia.member)

    with pytest.raises(Refused) as refused:
        mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)

    assert refused.value.code == "FORBIDDEN"
    assert Token.objects.filter(member=mia.member).count() == 0
