"""manage_destination."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board, get_card, require_manager
from destinations.access import get_destination, require_connector, require_keeper
from destinations.calls.connecting import (
    check_destination,
    create_destination,
    try_destination,
    update_destination,
)
from destinations.inputs import ManageDestinationIn, S3ConfigIn
from destinations.models import Destination
from destinations.selectors.deliveries import planned_for
from destinations.selectors.destinations import destinations_of
from destinations.serializers import ClearedSerializer, DestinationSerializer
from destinations.services.confirming import require_confirmed
from destinations.services.destinations import (
    BucketConfig,
    Changes,
    DestinationPlan,
    check_template,
    target_of,
)
from destinations.services.uses import clear_default, clear_override, set_default, set_override
from workflows.services.destinations import disable_destination
from workspaces.caller import Caller


def manage_destination(caller: Caller, given: ManageDestinationIn) -> Answer:
    return _ACTIONS[given.action](caller, given)


def _list(caller: Caller, _: ManageDestinationIn) -> Answer:
    return {"destinations": show_rows(DestinationSerializer(), destinations_of(caller))}


def _read(caller: Caller, given: ManageDestinationIn) -> Answer:
    return _shown(caller, get_destination(caller, given.destination_id))


def _create(caller: Caller, given: ManageDestinationIn) -> Answer:
    assert given.name is not None  # the input model holds what create needs
    assert given.config is not None
    assert given.credential is not None
    board = get_board(caller, given.board_id) if given.board_id is not None else None
    if board is None:
        require_connector(caller)
    else:
        require_manager(caller, board)
    plan = DestinationPlan(name=given.name, config=_config(given.config))
    if given.path_template is not None:
        plan = DestinationPlan(name=plan.name, config=plan.config, path_template=given.path_template)
    require_confirmed(given.confirm, config=given.config.model_dump(), board=board)
    made = create_destination(caller, plan=plan, drop_id=given.credential.drop_id)
    if board is not None:
        set_default(caller, destination=made, board=board)
    return _shown(caller, made)


def _update(caller: Caller, given: ManageDestinationIn) -> Answer:
    destination = get_destination(caller, given.destination_id)
    require_keeper(caller, destination)
    if given.config is not None or given.path_template is not None:
        config = given.config.model_dump() if given.config else destination.config
        require_confirmed(given.confirm, config=config, what="What goes there now goes to the new place instead.")
    changed = update_destination(
        caller,
        destination=destination,
        changes=Changes(
            name=given.name,
            config=_config(given.config) if given.config else None,
            path_template=given.path_template,
        ),
        drop_id=given.credential.drop_id if given.credential else None,
        expected_revision=given.expected_revision,
    )
    return _shown(caller, changed)


def _check(caller: Caller, given: ManageDestinationIn) -> Answer:
    return _shown(caller, check_destination(caller, destination=get_destination(caller, given.destination_id)))


def _set_default(caller: Caller, given: ManageDestinationIn) -> Answer:
    board, destination = get_board(caller, given.board_id), get_destination(caller, given.destination_id)
    require_manager(caller, board)
    require_confirmed(given.confirm, config=destination.config, board=board)
    set_default(caller, destination=destination, board=board)
    return _shown(caller, destination)


def _clear_default(caller: Caller, given: ManageDestinationIn) -> Answer:
    return {"cleared": ClearedSerializer(clear_default(caller, board=get_board(caller, given.board_id))).data}


def _set_override(caller: Caller, given: ManageDestinationIn) -> Answer:
    card, destination = get_card(caller, given.card_id), get_destination(caller, given.destination_id)
    require_manager(caller, card.board)
    require_confirmed(given.confirm, config=destination.config, card=card)
    set_override(caller, destination=destination, card=card)
    return _shown(caller, destination)


def _clear_override(caller: Caller, given: ManageDestinationIn) -> Answer:
    return {"cleared": ClearedSerializer(clear_override(caller, card=get_card(caller, given.card_id))).data}


def _preview(caller: Caller, given: ManageDestinationIn) -> Answer:
    card, destination = get_card(caller, given.card_id), get_destination(caller, given.destination_id)
    if given.path_template is not None:
        check_template(given.path_template)
    planned = planned_for(card, destination, given.path_template or "")
    return {"target": target_of(destination), "paths": [{"name": name, "path": path} for name, path in planned]}


def _test_call(caller: Caller, given: ManageDestinationIn) -> Answer:
    destination = get_destination(caller, given.destination_id)
    require_keeper(caller, destination)
    what = "A small object is written there, read back and removed."
    require_confirmed(given.confirm, config=destination.config, what=what, name="writes_a_test_object")
    tried = try_destination(caller, destination=destination)
    return {"path": tried.path, "is_removed": tried.is_removed}


def _disable(caller: Caller, given: ManageDestinationIn) -> Answer:
    destination = get_destination(caller, given.destination_id)
    require_keeper(caller, destination)
    cleared = disable_destination(caller, destination=destination, confirm=given.confirm)
    return {
        **_shown(caller, destination),
        "cleared": ClearedSerializer(cleared).data,
    }


def _config(given: S3ConfigIn) -> BucketConfig:
    return BucketConfig(**given.model_dump())


def _shown(caller: Caller, destination: Destination) -> Answer:
    return {"destination": DestinationSerializer(destinations_of(caller).get(pk=destination.pk)).data}


_ACTIONS: Mapping[str, Callable[[Caller, ManageDestinationIn], Answer]] = {
    "list": _list,
    "read": _read,
    "create": _create,
    "update": _update,
    "check": _check,
    "set_default": _set_default,
    "clear_default": _clear_default,
    "set_override": _set_override,
    "clear_override": _clear_override,
    "preview": _preview,
    "test_call": _test_call,
    "disable": _disable,
}

MANAGE_DESTINATION = Tool[Caller](
    name="manage_destination",
    title="Connect, check, use or turn off destinations",
    description=(
        "Where finished work goes: a bucket of S3, R2 or a compatible service (type s3). create takes the place as "
        "config and the secret access key as a drop: first call prepare_secret with purpose destination and have its "
        "command run; never ask for the key itself. The key is tried by listing the bucket, and not kept when it is "
        "refused. With board_id it becomes that board's default. set_default and set_override say which board or card "
        "goes there. Each of these approves every later delivery, so they refuse with CONFIRMATION_NEEDED until you "
        "have shown the user target and board and send confirm: true. preview shows the paths of a card without "
        "asking anybody; check asks whether the key still works; test_call writes, reads and removes a small object. "
        "disable is for good: it clears defaults and overrides and destroys the key; 'cleared' lists what changed."
    ),
    input=ManageDestinationIn,
    handler=manage_destination,
    effect=Effect.SEND,
    capabilities=("destinations",),
    reads=frozenset({"list", "read", "preview"}),
    is_destructive=True,
)
