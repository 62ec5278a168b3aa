"""Secret drops: who may fill and use one, how often, and what a value may be."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import pytest
from django.db import connection, transaction

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from tests.factories.workspaces import make_workspace, token_caller
from tests.support.cast import token_of
from tests.support.races import at_once, codes
from workspaces.caller import Caller
from workspaces.models import AuditEntry, SealedSecret, SecretDrop
from workspaces.refusals import LAST_OWNER
from workspaces.services.actors import add_agent_actor
from workspaces.services.drops import MAX_BYTES, consume_drop, fill_drop, prepare_drop
from workspaces.services.retention import forget_old
from workspaces.services.secrets import SecretDestroyed, destroy_secret, open_secret
from workspaces.states import DropState, Preset, SecretPurpose

CANARY = "sk-canary-4f1e"


@pytest.fixture
def holder(mia: Caller) -> Caller:
    """Mia through a token, as an assistant calls."""
    return token_caller(token_of(mia))


def prepared(
    caller: Caller, env_var: str = "OPENAI_API_KEY", purpose: SecretPurpose = SecretPurpose.AI_ACCOUNT
) -> SecretDrop:
    return prepare_drop(caller, kind="openai", purpose=purpose, env_var=env_var)


def filled(caller: Caller, value: str = CANARY) -> SecretDrop:
    return fill_drop(caller, drop_id=str(prepared(caller).pk), value=value)


def use(caller: Caller, drop: SecretDrop, purpose: SecretPurpose = SecretPurpose.AI_ACCOUNT) -> SealedSecret:
    return consume_drop(caller, drop_id=str(drop.pk), purpose=purpose)


def age(drop: SecretDrop, by: timedelta) -> None:
    """Let time pass on the database's clock, as far as this drop can tell."""
    drop.refresh_from_db()
    SecretDrop.objects.filter(pk=drop.pk).update(
        expires_at=drop.expires_at - by, created_at=drop.created_at - by, updated_at=drop.updated_at - by
    )


def database_clock() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        instant: datetime = cursor.fetchone()[0]
    return instant


def code_of(action: object) -> str:
    assert callable(action)
    with pytest.raises(Refused) as refused:
        action()
    return refused.value.code


@pytest.mark.requirement("W067", "W072")
def test_a_drop_lasts_ten_minutes_by_the_databases_clock(holder: Caller) -> None:
    before = database_clock()

    drop = prepared(holder)

    assert before < drop.expires_at - timedelta(minutes=10) < database_clock()
    assert (drop.state, drop.secret) == (DropState.PREPARED, None)


@pytest.mark.requirement("W070", "W071")
def test_a_filled_drop_gives_its_secret_once(holder: Caller) -> None:
    drop = filled(holder)

    secret = use(holder, drop)

    assert open_secret(secret).reveal() == CANARY
    assert code_of(partial(use, holder, drop)) == "SECRET_DROP_EXPIRED"


@pytest.mark.requirement("W072", "W074", "C097")
def test_late_is_late_to_fill_and_to_use(holder: Caller) -> None:
    empty, full, young = prepared(holder), filled(holder), filled(holder)
    for drop in (empty, full):
        age(drop, timedelta(minutes=10, seconds=1))
    age(young, timedelta(minutes=9, seconds=50))

    assert code_of(partial(fill_drop, holder, drop_id=empty.pk, value=CANARY)) == "SECRET_DROP_EXPIRED"
    assert code_of(partial(use, holder, full)) == "SECRET_DROP_EXPIRED"
    assert open_secret(use(holder, young)).reveal() == CANARY


@pytest.mark.requirement("W073", "W002", "C097")
def test_a_drop_is_its_tokens_alone(alice: Caller, mia: Caller, charlie: Caller, holder: Caller) -> None:
    empty, full = prepared(holder), filled(holder)
    agent = add_agent_actor(mia.workspace, board_id=ids.new_id(), name="Scout")
    strangers = [
        token_caller(token_of(mia)),
        mia,
        token_caller(token_of(alice)),
        token_caller(token_of(charlie)),
        Caller.for_agent(workspace=mia.workspace, agent=agent, started_by=mia.member),
    ]

    for stranger in strangers:
        assert code_of(partial(fill_drop, stranger, drop_id=empty.pk, value="theirs")) == "SECRET_DROP_EXPIRED"
        assert code_of(partial(use, stranger, full)) == "SECRET_DROP_EXPIRED"
        assert code_of(partial(consume_drop, stranger, drop_id="nonsense", purpose=SecretPurpose.AI_ACCOUNT)) == (
            "SECRET_DROP_EXPIRED"
        )

    assert open_secret(use(holder, full)).reveal() == CANARY


@pytest.mark.requirement("C097")
def test_a_second_value_is_refused_and_the_first_stays(holder: Caller) -> None:
    drop = filled(holder)

    assert code_of(partial(fill_drop, holder, drop_id=drop.pk, value="other")) == "SECRET_DROP_EXPIRED"

    assert SealedSecret.objects.count() == 1
    assert open_secret(use(holder, drop)).reveal() == CANARY


@pytest.mark.requirement("W075", "C097")
def test_a_drop_for_one_purpose_serves_no_other(holder: Caller) -> None:
    drop = filled(holder)

    assert code_of(partial(use, holder, drop, SecretPurpose.CONNECTION)) == "SECRET_PURPOSE_MISMATCH"

    assert open_secret(use(holder, drop)).reveal() == CANARY


@pytest.mark.requirement("W076")
def test_a_drop_that_was_not_filled_says_so(holder: Caller) -> None:
    drop = prepared(holder)

    assert code_of(partial(use, holder, drop)) == "SECRET_NOT_FILLED"

    fill_drop(holder, drop_id=drop.pk, value=CANARY)
    assert open_secret(use(holder, drop)).reveal() == CANARY


@pytest.mark.requirement("C097")
def test_a_refused_follow_up_leaves_the_drop_filled(holder: Caller) -> None:
    drop = filled(holder)

    @transaction.atomic
    def connect() -> None:
        use(holder, drop)
        raise LAST_OWNER()

    assert code_of(connect) == "LAST_OWNER"

    assert open_secret(use(holder, drop)).reveal() == CANARY


@pytest.mark.requirement("W071", "C097")
@pytest.mark.django_db(transaction=True)
def test_of_two_follow_ups_at_once_one_gets_the_secret() -> None:
    caller = token_caller(token_of(make_workspace()))
    drop = filled(caller)

    outcomes = at_once(partial(use, caller, drop), partial(use, caller, drop), partial(use, caller, drop))

    assert codes(outcomes) == ["SECRET_DROP_EXPIRED", "SECRET_DROP_EXPIRED", "done"]


@pytest.mark.requirement("C097")
@pytest.mark.django_db(transaction=True)
def test_of_two_values_at_once_one_is_kept() -> None:
    caller = token_caller(token_of(make_workspace()))
    drop = prepared(caller)

    outcomes = at_once(*[partial(fill_drop, caller, drop_id=drop.pk, value=value) for value in ("first", "second")])

    assert codes(outcomes) == ["SECRET_DROP_EXPIRED", "done"]
    assert SealedSecret.objects.count() == 1


@pytest.mark.requirement("C097")
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("key\n", "key"),
        ("key\r\n", "key"),
        ("key\n\n", "key\n"),
        ("two\nlines", "two\nlines"),
        ('"quoted"', '"quoted"'),
        ("'$(id)' \\ `id`", "'$(id)' \\ `id`"),
        (" spaces ", " spaces "),
        ("\ufeffkéy-🔑", "\ufeffkéy-🔑"),
        ("x" * MAX_BYTES, "x" * MAX_BYTES),
    ],
)
def test_values_are_kept_exactly_but_for_one_line_ending(holder: Caller, sent: str, kept: str) -> None:
    assert open_secret(use(holder, filled(holder, sent))).reveal() == kept


@pytest.mark.requirement("C097")
@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("", "SECRET_EMPTY"),
        ("\n", "SECRET_EMPTY"),
        (" \t\r\n", "SECRET_EMPTY"),
        ("x" * (MAX_BYTES + 1), "INVALID_INPUT"),
        ("é" * (MAX_BYTES // 2 + 1), "INVALID_INPUT"),
        ("a\x00b", "INVALID_INPUT"),
    ],
)
def test_other_values_are_refused_and_the_drop_stays_open(holder: Caller, sent: str, code: str) -> None:
    drop = prepared(holder)

    assert code_of(partial(fill_drop, holder, drop_id=drop.pk, value=sent)) == code

    assert SealedSecret.objects.count() == 0
    assert fill_drop(holder, drop_id=drop.pk, value=CANARY).state == DropState.FILLED


@pytest.mark.requirement("W065", "C097")
@pytest.mark.parametrize(
    "env_var",
    ["PATH; rm -rf ~", "A B", "OPENAI_API_KEY\nX=1", "A\n", "", "1A", "A-B", "$A", "Ä", "A" * 101, "BAKEDBRIE_TOKEN"],
)
def test_a_variable_that_is_no_plain_name_is_refused(holder: Caller, env_var: str) -> None:
    assert code_of(partial(prepared, holder, env_var)) == "ENV_VAR_INVALID"

    assert SecretDrop.objects.count() == 0


@pytest.mark.requirement("W009", "C098")
def test_viewers_and_lesser_tokens_prepare_nothing(mia: Caller, vic: Caller) -> None:
    assert code_of(partial(prepared, token_caller(token_of(vic)))) == "FORBIDDEN"
    assert code_of(partial(prepared, token_caller(token_of(mia, Preset.READ_ONLY)))) == "TOKEN_READ_ONLY"
    assert code_of(partial(prepared, token_caller(token_of(mia, Preset.RUNNER)))) == "TOKEN_RUNNER_ONLY"

    assert SecretDrop.objects.count() == 0


def test_a_person_on_the_web_has_drops_and_an_agent_has_none(mia: Caller, vic: Caller) -> None:
    agent = add_agent_actor(mia.workspace, board_id=ids.new_id(), name="Scout")
    by_agent = Caller.for_agent(workspace=mia.workspace, agent=agent, started_by=mia.member)

    assert open_secret(use(mia, filled(mia))).reveal() == CANARY
    assert code_of(partial(prepared, by_agent)) == "PERSON_ONLY"


@pytest.mark.requirement("W069", "W025")
def test_nothing_that_prints_a_secret_shows_it(holder: Caller, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    drop = filled(holder)
    secret = use(holder, drop)
    drop.refresh_from_db()

    shown = [repr(drop), str(drop), repr(secret), str(secret), repr(open_secret(secret)), f"{open_secret(secret)}"]
    shown += [repr(vars(secret)), repr(list(AuditEntry.objects.values())), caplog.text]

    assert CANARY not in " ".join(shown)
    assert CANARY.encode() not in bytes(SealedSecret.objects.get().sealed or b"")


def test_a_destroyed_secret_is_gone_and_its_row_stays(holder: Caller) -> None:
    secret = use(holder, filled(holder))

    destroy_secret(secret)
    destroy_secret(secret)

    with pytest.raises(SecretDestroyed):
        open_secret(secret)
    assert SealedSecret.objects.filter(sealed=None, destroyed_at__isnull=False).count() == 1


@pytest.mark.requirement("C097")
def test_what_ran_out_unused_is_destroyed_and_what_is_used_stays(holder: Caller) -> None:
    unused, used, old = filled(holder), filled(holder), prepared(holder)
    secret = use(holder, used)
    for drop in (unused, used):
        age(drop, timedelta(minutes=11))
    age(old, timedelta(days=2))

    assert forget_old() == {"secrets_destroyed": 1, "drops": 1, "links": 0, "records": 0, "sessions": 0}

    assert open_secret(SealedSecret.objects.get(pk=secret.pk)).reveal() == CANARY
    assert SealedSecret.objects.exclude(pk=secret.pk).get().sealed is None
    assert forget_old()["secrets_destroyed"] == 0
