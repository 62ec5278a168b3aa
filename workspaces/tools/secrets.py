"""prepare_secret."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from workspaces.caller import Caller
from workspaces.inputs import PrepareSecretIn
from workspaces.serializers import PreparedDropSerializer
from workspaces.services.drops import prepare_drop
from workspaces.states import SecretPurpose


def prepare_secret(caller: Caller, given: PrepareSecretIn) -> Answer:
    drop = prepare_drop(caller, kind=given.kind, purpose=SecretPurpose(given.purpose), env_var=given.env_var)
    return PreparedDropSerializer(drop).data


TOOLS: tuple[Tool[Caller], ...] = (
    Tool(
        name="prepare_secret",
        title="Prepare a secret drop",
        description=(
            "Use this whenever a tool needs a key, so that the key never enters the conversation: do not ask the user "
            "to paste it. The user exports the key as an environment variable in their own shell. Call this with the "
            "variable's name, run the returned command in that shell exactly as given, then pass drop_id to the tool "
            "that needs the key. A drop works once, for ten minutes, and only with this token. The command needs sh, "
            "curl, od and sed, with the token in BAKEDBRIE_TOKEN; on Windows run it in Git Bash or WSL."
        ),
        input=PrepareSecretIn,
        handler=prepare_secret,
        effect=Effect.WRITE,
        capabilities=("secrets",),
    ),
)
