"""A submitted form: its input is checked, and a second submit of the same form acts no second time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest

from bakedbrie.lib.toolkit.inputs import Input, InputT, parse
from bakedbrie.lib.toolkit.tool import Answer, Effect
from workspaces.caller import Caller
from workspaces.refusals import WORKSPACE_SWITCHED
from workspaces.services.replay import replay


def submit(
    request: HttpRequest,
    caller: Caller,
    *,
    name: str,
    model: type[InputT],
    given: Mapping[str, Any],
    run: Callable[[InputT], Answer],
    shown_once: frozenset[str] = frozenset(),
) -> Mapping[str, Any]:
    """Check ``given`` with the tool's own input model, then run once per request_id of the form.

    Raises what the input model or the service refuses, and the same refusal again for the same form. A form whose
    address names nothing of a workspace says in ``workspace`` which one it was made for: its person may have switched.
    """
    meant = request.POST.get("workspace")
    if meant is not None and meant != str(caller.workspace.pk):
        raise WORKSPACE_SWITCHED()
    checked = parse(model, given)
    return replay(
        caller,
        request_id=request.POST.get("request_id", ""),
        call={"form": name, **_plain(checked)},
        effect=Effect.WRITE,
        run=lambda: run(checked),
        shown_once=shown_once,
    )


def _plain(checked: Input) -> dict[str, Any]:
    return checked.model_dump(mode="json", exclude_unset=True)
