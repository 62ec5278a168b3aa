"""The time zone of a workspace: who sets it, what is no zone, and that pages show times in it, each in its own."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from tests.factories.workspaces import make_user
from tests.support.cast import browser
from tests.web.pages import code_of, form_of, text_of
from workspaces.caller import Caller
from workspaces.inputs import CreateWorkspaceIn
from workspaces.models import AuditEntry, Token, Workspace
from workspaces.services.tokens import mint_token
from workspaces.services.workspaces import change_time_zone, create_workspace
from workspaces.states import Preset

pytestmark = pytest.mark.django_db

SETTINGS, TOKENS, AUDIT = "/settings/", "/settings/tokens/", "/settings/audit/"
AUCKLAND = "Pacific/Auckland"  # a day ahead of UTC from noon on


def zone_of(caller: Caller) -> str:
    return Workspace.objects.get(pk=caller.workspace.pk).time_zone


def test_a_workspace_begins_in_utc_or_where_its_maker_says() -> None:
    owner = make_user()

    plain = create_workspace(name="Plain", owner=owner)
    there = create_workspace(name="There", owner=owner, time_zone=AUCKLAND)

    assert (plain.time_zone, there.time_zone) == ("UTC", AUCKLAND)
    assert parse(CreateWorkspaceIn, {"name": "Plain", "owner_name": "Nora"}).time_zone == "UTC"


@pytest.mark.parametrize("name", ["", "Atlantis/Harbour", "../../etc/passwd", "localtime", "europe/zurich", "x" * 65])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(CreateWorkspaceIn, {"name": "Plain", "owner_name": "Nora", "time_zone": name})

    fields = caught.value.details["fields"]
    assert (caught.value.code, isinstance(fields, dict) and list(fields)) == ("INVALID_INPUT", ["time_zone"])


def test_an_admin_chooses_the_zone_on_the_settings_page(amir: Caller) -> None:
    client = browser(amir)
    form = form_of(client.get(SETTINGS), SETTINGS)

    answers = [client.post(SETTINGS, {**form, "time_zone": AUCKLAND}) for _ in range(2)]

    changes = AuditEntry.objects.filter(workspace=amir.workspace, verb="workspace.time_zone_changed")
    assert ([answer.status_code for answer in answers], form["time_zone"]) == ([302, 302], "UTC")
    assert (zone_of(amir), form_of(client.get(SETTINGS), SETTINGS)["time_zone"]) == (AUCKLAND, AUCKLAND)
    assert [entry.data for entry in changes] == [{"before": "UTC", "after": AUCKLAND}]
    assert "changed the time zone from UTC to Pacific/Auckland" in text_of(client.get(AUDIT))


def test_a_zone_that_does_not_exist_is_refused_beside_its_field(amir: Caller) -> None:
    client = browser(amir)
    form = form_of(client.get(SETTINGS), SETTINGS)

    answer = client.post(SETTINGS, {**form, "name": "Bread", "time_zone": "Atlantis/Harbour"})

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert 'id="time_zone-workspace-error"' in text_of(answer)
    assert (zone_of(amir), Workspace.objects.filter(name="Bread").exists()) == ("UTC", False)


@pytest.mark.parametrize("person", ["mia", "vic"])
def test_members_and_viewers_cannot_change_it(person: str, request: pytest.FixtureRequest) -> None:
    caller: Caller = request.getfixturevalue(person)

    with pytest.raises(Refused) as caught:
        change_time_zone(caller, time_zone=AUCKLAND)

    assert (caught.value.code, zone_of(caller)) == ("FORBIDDEN", "UTC")
    assert code_of(browser(caller).post(SETTINGS, {"time_zone": AUCKLAND})) == "FORBIDDEN"


def test_pages_show_times_in_the_zone_of_the_workspace_they_are_of(alice: Caller, charlie: Caller) -> None:
    noon = datetime(2031, 5, 3, 13, 0, tzinfo=UTC)
    for caller in (alice, charlie):
        token, _ = mint_token(caller, label="Bread", preset=Preset.READ_ONLY)
        Token.objects.filter(pk=token.pk).update(expires_at=noon, last_used_at=noon)
    change_time_zone(alice, time_zone=AUCKLAND)

    pages = [text_of(browser(caller).get(TOKENS)) for caller in (alice, charlie, alice)]

    assert ["4 May 2031" in page for page in pages] == [True, False, True]
    assert ['title="4 May 2031, 01:00 NZST"' in page for page in pages] == [True, False, True]
    assert ['title="3 May 2031, 13:00 UTC"' in page for page in pages] == [False, True, False]
    assert all('datetime="2031-05-03T13:00:00.000Z"' in page for page in pages)


def test_a_zone_that_newer_rules_have_dropped_reads_as_utc(alice: Caller) -> None:
    Workspace.objects.filter(pk=alice.workspace.pk).update(time_zone="Atlantis/Harbour")

    answer = browser(alice).get(SETTINGS)

    assert answer.status_code == 200


def test_summer_time_and_zones_without_a_name_are_told_as_people_say_them() -> None:
    winter, summer = datetime(2026, 1, 9, 8, 5, tzinfo=UTC), datetime(2026, 7, 9, 8, 5, tzinfo=UTC)

    told = [clock.in_words(instant, ZoneInfo("Europe/Zurich")) for instant in (winter, summer)]

    assert told == ["9 January 2026, 09:05 CET", "9 July 2026, 10:05 CEST"]
    assert clock.in_words(winter, ZoneInfo("America/Sao_Paulo")) == "9 January 2026, 05:05 UTC-03"
