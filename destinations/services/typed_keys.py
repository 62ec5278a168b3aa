"""The secret of a bucket's key as a person typed it: sealed at once, in a drop of its own."""

from __future__ import annotations

import uuid

from django.db import transaction

from bakedbrie.lib.sealing import Secret
from workspaces.caller import Caller
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.states import SecretPurpose

_TYPED = "TYPED_ON_A_PAGE"  # in place of the variable that a command would read


@transaction.atomic
def drop_typed_key(caller: Caller, *, kind: str, key: Secret) -> uuid.UUID:
    """Return the id of a filled drop, for `create_destination` or `update_destination` to use up."""
    drop = prepare_drop(caller, kind=kind, purpose=SecretPurpose.DESTINATION, env_var=_TYPED)
    return fill_drop(caller, drop_id=drop.pk, value=key.reveal()).pk
