"""The daily job reaches every app that forgets something."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from bakedbrie.lib import clock
from bakedbrie.lib.jobs import Job, poke
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.models import RequestRecord, SealedSecret
from workspaces.services.replay import KEPT_FOR
from workspaces.services.secrets import seal_secret
from workspaces.states import SecretPurpose


@pytest.mark.django_db
def test_the_daily_job_forgets_old_records_and_lost_keys(alice: Caller, drain_jobs: Callable[..., Ran]) -> None:
    for request_id, age in (("old", KEPT_FOR + timedelta(minutes=1)), ("young", KEPT_FOR - timedelta(hours=1))):
        with time_machine.travel(clock.now() - age):
            RequestRecord.objects.create(
                workspace=alice.workspace, subject=alice.subject, request_id=request_id, call_hash="0" * 64
            )
    seal_secret(alice.workspace, purpose=SecretPurpose.AI_ACCOUNT, value="sk-lost")
    SealedSecret.objects.update(created_at=clock.now() - timedelta(days=2))
    poke(Job.RETENTION)

    ran = drain_jobs()

    assert ran == [("retention.run", ())]
    assert [record.request_id for record in RequestRecord.objects.all()] == ["young"]
    assert SealedSecret.objects.get().sealed is None
