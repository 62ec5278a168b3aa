"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

UNAUTHENTICATED = Refusal(
    "UNAUTHENTICATED",
    401,
    "This call carries no valid token.",
    fix="Send a token as 'Authorization: Bearer …'. A person mints one in the settings.",
)
TOKEN_REVOKED = Refusal(
    "TOKEN_REVOKED", 401, "This token was revoked or has expired.", fix="Ask the user to mint a new token in settings."
)
TOKEN_READ_ONLY = Refusal(
    "TOKEN_READ_ONLY",
    403,
    "This token may only read.",
    fix="Ask the user to mint a Full control token in BakedBrie settings.",
)
TOKEN_RUNNER_ONLY = Refusal(
    "TOKEN_RUNNER_ONLY",
    403,
    "This token serves the runner program only.",
    fix="Ask the user to mint a Full control or Read only token in settings.",
)
FORBIDDEN = Refusal("FORBIDDEN", 403, "Your role does not allow this.", fix="Ask a workspace owner or admin to do it.")
CAPABILITY_OFF = Refusal(
    "CAPABILITY_OFF",
    403,
    "This capability is off in the workspace.",
    fix="Do not retry. An owner or admin can turn it on in settings.",
)
PERSON_ONLY = Refusal(
    "PERSON_ONLY", 403, "Only a person can do this, in the web app.", fix="Ask the user to open the page and do it."
)
REQUEST_ID_REUSED = Refusal(
    "REQUEST_ID_REUSED",
    409,
    "This request_id already stands for a different call.",
    fix="Use a new request_id for a new call.",
)
REQUEST_IN_PROGRESS = Refusal(
    "REQUEST_IN_PROGRESS",
    409,
    "The same call is still running.",
    fix="Wait a moment and repeat it with the same request_id to get its answer.",
    retryable=True,
)
OUTCOME_UNKNOWN = Refusal(
    "OUTCOME_UNKNOWN",
    409,
    "The call was started, but its answer was lost; it is not sent again.",
    fix="Look at what it was to change, then decide; use a new request_id to do it once more.",
)
DISPATCH_PAUSED = Refusal(
    "DISPATCH_PAUSED",
    409,
    "Work is paused in this workspace.",
    fix="An owner or admin resumes it; waiting work then starts by itself.",
)
SECRET_DROP_EXPIRED = Refusal(
    "SECRET_DROP_EXPIRED",
    409,
    "This drop was used, has expired, or belongs to another token.",
    fix="Call prepare_secret again and run the new command.",
)
SECRET_NOT_FILLED = Refusal(
    "SECRET_NOT_FILLED",
    409,
    "The command of this drop has not been run yet.",
    fix="Run the command in the shell that holds the variable, then call this again.",
    retryable=True,
)
SECRET_PURPOSE_MISMATCH = Refusal(
    "SECRET_PURPOSE_MISMATCH",
    409,
    "This drop was prepared for another purpose.",
    fix="Call prepare_secret with the purpose that fits.",
)
SECRET_EMPTY = Refusal(
    "SECRET_EMPTY",
    400,
    "The variable was empty, so nothing was stored.",
    fix="Export the variable in the same shell, then run the command again.",
)
ENV_VAR_INVALID = Refusal(
    "ENV_VAR_INVALID",
    400,
    "That is no name of an environment variable.",
    fix="Use letters, digits and underscores, such as OPENAI_API_KEY; not the variable of your BakedBrie token.",
)
LAST_OWNER = Refusal(
    "LAST_OWNER", 409, "A workspace keeps at least one owner.", fix="Make somebody else an owner first."
)
ALREADY_MEMBER = Refusal(
    "ALREADY_MEMBER", 409, "This person is a member already.", fix="Change their role instead of adding them again."
)
LINK_EXPIRED = Refusal(
    "LINK_EXPIRED", 409, "This sign-in link was used or has expired.", fix="Ask for a new link, or sign in by password."
)
INVITE_EXPIRED = Refusal(
    "INVITE_EXPIRED",
    409,
    "This invitation was used, taken back or has expired.",
    fix="Ask whoever invited you for a new one.",
)
INVITE_OTHER_ADDRESS = Refusal(
    "INVITE_OTHER_ADDRESS",
    409,
    "This invitation is for another e-mail address.",
    fix="Sign out, then open the link again; or ask for an invitation for your own address.",
)
ACCOUNT_EXISTS = Refusal(
    "ACCOUNT_EXISTS", 409, "This address has an account already.", fix="Sign in with its password to accept."
)
SETUP_CODE_WRONG = Refusal(
    "SETUP_CODE_WRONG",
    403,
    "This instance has no owner yet, and this is not the link that makes one.",
    fix="Open the link that BakedBrie printed when it was started.",
)
SIGN_IN_FAILED = Refusal(
    "SIGN_IN_FAILED",
    422,
    "This e-mail address and password do not fit together.",
    fix="Try again, or ask an operator for a one-time sign-in link.",
)
CODE_WRONG = Refusal(
    "CODE_WRONG",
    422,
    "This code does not fit, or was used already.",
    fix="Enter the code that your app shows now, or a recovery code that you have not used.",
)
PASSKEY_FAILED = Refusal(
    "PASSKEY_FAILED", 422, "This passkey could not be used here.", fix="Try again, or go on in another way."
)
PASSKEYS_FULL = Refusal(
    "PASSKEYS_FULL", 409, "You have as many passkeys as an account can have.", fix="Remove one that you do not use."
)
LAST_WAY_IN = Refusal(
    "LAST_WAY_IN",
    409,
    "Without this passkey you could not sign in any more.",
    fix="Set a password or add another passkey first.",
)
SIGNED_OUT = Refusal(
    "SIGNED_OUT",
    401,
    "You are signed out, so nothing was saved.",
    fix="Sign in again in another tab, then send it once more: what you typed is still here.",
)
WORKSPACE_SWITCHED = Refusal(
    "WORKSPACE_SWITCHED",
    409,
    "You are in another workspace by now, so nothing was done.",
    fix="Switch back to the workspace that you mean, then do it there.",
)
NO_WORKSPACE = Refusal(
    "NO_WORKSPACE",
    403,
    "You belong to no workspace.",
    fix="Ask the owner of a workspace to add you, or sign in with another account.",
)
STORAGE_QUOTA_EXCEEDED = Refusal(
    "STORAGE_QUOTA_EXCEEDED",
    409,
    "The workspace has no room left for this.",
    fix="Remove files that are not needed any more, or ask the operator for a larger quota.",
)

REFUSALS = (
    UNAUTHENTICATED,
    TOKEN_REVOKED,
    TOKEN_READ_ONLY,
    TOKEN_RUNNER_ONLY,
    FORBIDDEN,
    CAPABILITY_OFF,
    PERSON_ONLY,
    REQUEST_ID_REUSED,
    REQUEST_IN_PROGRESS,
    OUTCOME_UNKNOWN,
    DISPATCH_PAUSED,
    SECRET_DROP_EXPIRED,
    SECRET_NOT_FILLED,
    SECRET_PURPOSE_MISMATCH,
    SECRET_EMPTY,
    ENV_VAR_INVALID,
    LAST_OWNER,
    SETUP_CODE_WRONG,
    SIGN_IN_FAILED,
    CODE_WRONG,
    PASSKEY_FAILED,
    PASSKEYS_FULL,
    LAST_WAY_IN,
    SIGNED_OUT,
    WORKSPACE_SWITCHED,
    NO_WORKSPACE,
    ALREADY_MEMBER,
    LINK_EXPIRED,
    INVITE_EXPIRED,
    INVITE_OTHER_ADDRESS,
    ACCOUNT_EXISTS,
    STORAGE_QUOTA_EXCEEDED,
)
