"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

DESTINATION_DISABLED = Refusal(
    "DESTINATION_DISABLED",
    409,
    "This destination was turned off, for good.",
    fix="Create a new destination and set it as the default.",
)
DESTINATION_CHANGED = Refusal(
    "DESTINATION_CHANGED",
    409,
    "The destination was changed since this delivery was decided: it would go somewhere else now.",
    fix="Show the user 'target' and 'paths'; if they agree, send the same again with this preview_hash.",
)
DESTINATION_AUTH_FAILED = Refusal(
    "DESTINATION_AUTH_FAILED",
    409,
    "The service does not let this key do it.",
    fix="Check access_key_id, the secret and what the key may do (read, write and list), then prepare a new drop.",
)
BUCKET_NOT_FOUND = Refusal(
    "BUCKET_NOT_FOUND",
    409,
    "There is no such bucket at this address.",
    fix="Check endpoint, region, bucket and path_style, then prepare a new drop.",
)
DESTINATION_UNREACHABLE = Refusal(
    "DESTINATION_UNREACHABLE",
    502,
    "The service could not be reached.",
    fix="Mend what the message names, or try again in a moment; to create a destination, prepare a new drop first.",
    retryable=True,
)
DESTINATION_IN_USE = Refusal(
    "DESTINATION_IN_USE",
    409,
    "This destination is the work folder of a board, or holds files that wait for a review.",
    fix="Set another work folder for the boards that 'used_by' names with set_work_folder and decide on the reviews "
    "there, then turn it off or change its place. 'hidden_boards' counts boards that others have to look after.",
)
TEMPLATE_INVALID = Refusal(
    "TEMPLATE_INVALID",
    400,
    "The path template cannot be used.",
    fix="Correct what 'fields' names. The placeholders are {board-slug}, {card-slug}, {yyyy-mm-dd} and {card-hash}.",
)
ALREADY_DELIVERED = Refusal(
    "ALREADY_DELIVERED", 409, "This delivery arrived.", fix="Read its receipt; there is nothing to send again."
)
DELIVERY_RUNNING = Refusal(
    "DELIVERY_RUNNING",
    409,
    "This delivery is still on its way.",
    fix="Wait until it ends, then read it again.",
)

REFUSALS = (
    DESTINATION_CHANGED,
    DESTINATION_DISABLED,
    DESTINATION_IN_USE,
    DESTINATION_AUTH_FAILED,
    BUCKET_NOT_FOUND,
    DESTINATION_UNREACHABLE,
    TEMPLATE_INVALID,
    ALREADY_DELIVERED,
    DELIVERY_RUNNING,
)
