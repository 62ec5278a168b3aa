"""Codes and states in the words that people read. A code without words here is shown as it is."""

from __future__ import annotations

from collections.abc import Mapping

from bakedbrie.lib.refusals import Refusal, Refused

BADGES: Mapping[str, str] = {
    "idle": "Idle",
    "waiting": "Waiting",
    "working": "Working",
    "blocked": "Blocked",
    "in_review": "In review",
    "done": "Done",
}

TURN_STATES: Mapping[str, str] = {
    "waiting": "Waiting",
    "queued": "Queued",
    "sending": "Working",
    "cancel_requested": "Stopping",
    "done": "Done",
    "refused": "Refused",
    "failed": "Failed",
    "unknown": "Unclear",
    "canceled": "Stopped",
}

# Which badge colour a turn's state borrows.
TURN_BADGES: Mapping[str, str] = {
    "waiting": "waiting",
    "queued": "working",
    "sending": "working",
    "cancel_requested": "waiting",
    "done": "done",
    "refused": "blocked",
    "failed": "blocked",
    "unknown": "blocked",
    "canceled": "idle",
}

REVIEW_STATES: Mapping[str, str] = {
    "open": "Waits for a decision",
    "approved": "Approved",
    "rejected": "Rejected",
    "changes_requested": "Changes requested",
    "canceled": "Closed without a decision",
}

DELIVERY_STATES: Mapping[str, str] = {
    "pending": "In line",
    "sending": "On its way",
    "delivered": "Delivered",
    "failed": "Failed",
    "unknown": "Unclear",
}
# Which badge colour a delivery's state borrows.
DELIVERY_BADGES: Mapping[str, str] = {
    "pending": "waiting",
    "sending": "working",
    "delivered": "done",
    "failed": "blocked",
    "unknown": "blocked",
}

AGENT_STATES: Mapping[str, str] = {
    "draft": "Draft",
    "published": "Published",
    "paused": "Paused",
    "retired": "Retired",
}

# Which badge colour an agent's state borrows.
AGENT_BADGES: Mapping[str, str] = {"draft": "idle", "published": "done", "paused": "waiting", "retired": "idle"}

# What an agent may be given: its name, and what it covers.
AREAS: Mapping[str, tuple[str, str]] = {
    "read_files": ("Read files", "Read the files of the cards it works on."),
    "web": ("Web", "Search and read the web."),
    "email": ("E-mail", "Send e-mail."),
    "other_apps": ("Other apps", "Act in other connected apps."),
    "deliver": ("Deliver", "Deliver finished work to the board’s destination."),
    "create_images": ("Create images", "Make images with the AI account that pays."),
    "create_audio": ("Create audio", "Make audio with the AI account that pays."),
    "create_video": ("Create video", "Make video with the AI account that pays."),
}
VERDICTS: Mapping[str, str] = {"off": "Off", "ask": "Ask", "allowed": "Allowed"}

# Why a card waits or is blocked, and how a turn ended.
REASONS: Mapping[str, str] = {
    "QUEUED": "It is in line: the agent starts as soon as a worker is free.",
    "AI_ACCOUNT_REQUIRED": "No AI account pays for this work yet. It starts by itself when one is bound.",
    "DISPATCH_PAUSED": "Work is paused in this workspace. It starts by itself when an owner or admin resumes it.",
    "AGENT_PAUSED": "The agent is paused. It starts by itself when the agent is resumed.",
    "APPROVAL": "The agent asks whether it may read the card's files. It starts by itself after a yes or a no.",
    "DELIVERY_ASKED": "The work is done, and nothing of it leaves before somebody says that it may be delivered.",
    "APPROVAL_EXPIRED": "Nobody said in time whether the agent may do what it asked. Run it again, or move the card.",
    "AGENT_NOT_PUBLISHED": "The agent has to be published again. It starts by itself then.",
    "BOARD_ARCHIVED": "The board was archived meanwhile: the result is kept, the card stays here.",
    "RULE_PAUSED": "The rule was paused meanwhile: the result is kept, the card stays here.",
    "RULE_LOOP": "This round ran as many turns as a round may. Look at the rules, then move the card by hand.",
    "AGENT_TURNS_SPENT": "The agent has worked on it as often as it may in one round. Move the card by hand.",
    "AGENT_RETIRED": "The agent was retired meanwhile: the result is kept, the card stays here.",
    "STAGE_GONE": "The column this card was to go to was deleted. Move it by hand.",
    "MEMBER_REMOVED": "The person who started this round may not work here any more. Move the card by hand.",
    "DELIVERING": "Its result is on its way to the destination.",
    "DESTINATION_AUTH_FAILED": "The service does not let the destination's key do it. Look at the key, then deliver "
    "again.",
    "DESTINATION_CHANGED": "The destination was changed after this was decided, so nothing went to the new place. Look "
    "at it, then deliver again.",
    "DESTINATION_DISABLED": "The destination was turned off before anything was sent.",
    "DESTINATION_KEY_UNUSABLE": "The key of the destination cannot be opened. Give it a new one, then deliver again.",
    "CAPABILITY_OFF": "Destinations were turned off in this workspace before anything was sent.",
    "BUCKET_NOT_FOUND": "There is no such bucket at this address. Correct the destination, then deliver again.",
    "BUCKET_ELSEWHERE": "The bucket is in another region or at another address. Correct the destination, then deliver "
    "again.",
    "PATH_TAKEN": "Something else lies at this path, and it is not written over. Move it away, then deliver again.",
    "CONTENT_GONE": "A file was taken off the card before it was sent.",
    "RATE_LIMITED": "The service takes no more for the moment, and nothing was written. Deliver again later.",
    "API_UNAVAILABLE": "The service could not be reached, and nothing was written. Deliver again later.",
    "OUTCOME_UNKNOWN": "A file was sent, but the answer was lost. It is not sent again by itself; delivering again "
    "first looks whether it is there.",
    "AI_ACCOUNT_UNAVAILABLE": "The AI account that pays cannot be used, and no other one is used instead.",
    "AI_ANSWER_EMPTY": "The model answered without any text.",
    "AI_ANSWER_UNREADABLE": "What came back is no answer of this provider.",
    "AI_COUNTS_REFUSED": "The service did not take an option. Run the agent again: the account goes without it now.",
    "AI_CUT_SHORT": "The answer reached its largest size before it was finished.",
    "AI_KEY_REJECTED": "The provider does not accept the key of the AI account.",
    "AI_COST_UNKNOWN": "The AI account has a monthly cap, and what its model costs is not known.",
    "AI_MONTHLY_CAP": "The AI account's cap for this month leaves no room for another call.",
    "AI_MODEL_UNKNOWN": "The provider knows no such model.",
    "AI_OUTCOME_UNKNOWN": "The call was sent, but its answer was lost. It is not sent again by itself.",
    "AI_OVERLOADED": "The provider is overloaded. Run the agent again in a few minutes.",
    "AI_PROMPT_TOO_LONG": "Brief, comments and files are more than the model reads at once.",
    "AI_PROVIDER_ERROR": "The provider answered with an error of its own.",
    "AI_QUOTA_EXHAUSTED": "The AI account has no credit left at the provider.",
    "AI_RATE_LIMITED": "The provider takes no more calls from this AI account for the moment.",
    "AI_REFUSED": "The model declined to do this.",
    "AI_REQUEST_INVALID": "The provider did not take the request.",
    "AI_STOPPED": "The agent was stopped while it worked.",
    "AI_UNREACHABLE": "The provider could not be reached, and nothing was sent.",
    "FAILED": "The agent could not do the work.",
    "REFUSED": "The provider did not take the work.",
    "UNKNOWN": "The work was asked for, but its answer was lost. It is not asked for again by itself.",
    "WORKER_LOST": "Several workers stopped while they read this card; nothing was sent. Take away its newest file.",
    "REJECTED": "What was made was rejected. Change the brief, then move the card away and back to start it again.",
    "CARD_MOVED": "The card was moved before anybody decided.",
    "CARD_TRASHED": "The card was put into the trash meanwhile.",
    "NO_PROGRESS": "The agent left the same result again and again. Change the brief, then move the card by hand.",
}

# The same in two or three words, for a card among others and a line of history.
SHORT_REASONS: Mapping[str, str] = {
    "QUEUED": "in line",
    "AI_ACCOUNT_REQUIRED": "needs an AI account",
    "DISPATCH_PAUSED": "work is paused",
    "AGENT_PAUSED": "agent is paused",
    "APPROVAL": "asks to read the files",
    "DELIVERY_ASKED": "asks to deliver",
    "APPROVAL_EXPIRED": "nobody answered",
    "AGENT_NOT_PUBLISHED": "agent not published",
    "BOARD_ARCHIVED": "board archived",
    "RULE_PAUSED": "rule is paused",
    "RULE_LOOP": "goes round and round",
    "AGENT_TURNS_SPENT": "turns used up",
    "AGENT_RETIRED": "agent is retired",
    "STAGE_GONE": "next column is gone",
    "MEMBER_REMOVED": "its person left",
    "DELIVERING": "being delivered",
    "DESTINATION_AUTH_FAILED": "key not accepted",
    "DESTINATION_CHANGED": "destination changed",
    "DESTINATION_DISABLED": "destination is off",
    "DESTINATION_KEY_UNUSABLE": "key cannot be opened",
    "CAPABILITY_OFF": "destinations are off",
    "BUCKET_NOT_FOUND": "no such bucket",
    "BUCKET_ELSEWHERE": "bucket is elsewhere",
    "PATH_TAKEN": "path is taken",
    "CONTENT_GONE": "file was removed",
    "RATE_LIMITED": "too many requests",
    "API_UNAVAILABLE": "service unreachable",
    "OUTCOME_UNKNOWN": "delivery unclear",
    "AI_ACCOUNT_UNAVAILABLE": "AI account unusable",
    "AI_ANSWER_EMPTY": "empty answer",
    "AI_ANSWER_UNREADABLE": "unreadable answer",
    "AI_COUNTS_REFUSED": "an option was refused",
    "AI_CUT_SHORT": "answer cut short",
    "AI_KEY_REJECTED": "key not accepted",
    "AI_COST_UNKNOWN": "cost not known",
    "AI_MONTHLY_CAP": "monthly cap reached",
    "AI_MODEL_UNKNOWN": "model not known",
    "AI_OUTCOME_UNKNOWN": "answer lost",
    "AI_OVERLOADED": "provider overloaded",
    "AI_PROMPT_TOO_LONG": "too much to read",
    "AI_PROVIDER_ERROR": "error at the provider",
    "AI_QUOTA_EXHAUSTED": "no credit left",
    "AI_RATE_LIMITED": "too many calls",
    "AI_REFUSED": "model declined",
    "AI_REQUEST_INVALID": "request not taken",
    "AI_STOPPED": "stopped",
    "AI_UNREACHABLE": "provider unreachable",
    "FAILED": "failed",
    "REFUSED": "not taken",
    "UNKNOWN": "answer lost",
    "WORKER_LOST": "stops its workers",
    "REJECTED": "rejected",
    "CARD_MOVED": "card was moved",
    "CARD_TRASHED": "card went into the trash",
    "NO_PROGRESS": "no progress",
}

# What people should know of a turn that went well or not.
NOTES: Mapping[str, str] = {
    "ASK_COUNTS_AS_OFF": "Nobody could be asked at that time, so “{area}” counted as off.",
    "ASKED_AND_DENIED": "A person said no to what it asked: it worked without the files of the card.",
    "BLOCK_IGNORED": "The reply asked for “{block}”, which cannot be done yet; it was left out.",
    "LATE_ANSWER": "Its answer came after it was given up: it was not used. Read it before you run the turn again.",
}

# What a person does about a refusal, where the refusal's own fix speaks to an assistant.
FIXES: Mapping[str, str] = {
    "INVALID_INPUT": "Correct the marked fields and send it again.",
    "PREVIEW_CHANGED": "Below is what would happen now. Confirm again if it is still what you want.",
    "MAKER_CANNOT_APPROVE": "Ask somebody else who opens the board. You may still request changes or reject it.",
    "NOT_NAMED_REVIEWER": "Ask that person to decide, or have a board manager name somebody else.",
    "REVIEW_CLOSED": "Look at the card to see what became of it.",
    "AGENT_TURNS_SPENT": "Look at what the agent left, then move the card by hand.",
    "MOVE_INVALID": "Choose another column of this board.",
    "RULE_STATE": "Look at the rules of the board as they are now. A card can always be moved by hand.",
    "STAGE_GONE": "Have another next column chosen in the rule, then publish it again.",
    "OUTCOME_UNKNOWN": "Reload the page and look whether it was done before you do it again.",
    "PREVIEW_REQUIRED": "Choose a column, read what will happen, then confirm.",
    "REVISION_CONFLICT": "Yours is kept below. Compare it with how it is now, then save it again or cancel.",
    "STAGE_IN_USE": "Have what is named here changed, so that nothing starts in this column; then delete it.",
    "STAGE_ORDER_INVALID": "The first column and the last one keep their places. Reload the page if it looks old.",
    "REQUEST_ID_REUSED": "Reload the page, then do it again.",
    "REQUEST_IN_PROGRESS": "Wait a moment, then reload the page.",
    "AI_ACCOUNT_REQUIRED": "Ask a board manager to bind an AI account; the card then starts by itself.",
    "AI_KEY_REJECTED": "Look at the key at the provider, then type it again or connect a new one.",
    "AI_PROVIDER_UNREACHABLE": "Mend what is named here, or try again in a moment.",
    "AI_ACCOUNT_UNAVAILABLE": "Ask a workspace owner or admin to check the AI account, then run the card again.",
    "DESTINATION_AUTH_FAILED": "Look at the access key id, its secret and what the key may do (read, write and list), "
    "then type the secret again.",
    "BUCKET_NOT_FOUND": "Look at endpoint, region and bucket, then type the secret again.",
    "DESTINATION_IN_USE": "Choose another work folder for its boards and decide on what waits there, then try again.",
    "DESTINATION_CHANGED": "Look at where it would go now, then deliver again.",
    "DESTINATION_DISABLED": "Connect a new destination and choose it for the board.",
    "DESTINATION_UNREACHABLE": "Mend what is named here, or try again in a moment.",
    "ALREADY_DELIVERED": "Read the receipt: there is nothing to send again.",
    "DELIVERY_RUNNING": "Wait until it ends, then look again.",
    "AGENT_IN_USE": "Pause what is named here, or have it use another agent; then retire this one.",
    "AGENT_NOT_PUBLISHED": "Ask a board manager to publish the agent.",
    "AGENT_RETIRED": "Make a new agent.",
    "CAPABILITY_OFF": "An owner or admin can turn it on in the settings of the workspace.",
    "AGENT_STATE": "Somebody may have changed it meanwhile: look at its state as it is now.",
    "NO_DRAFT": "It is published as it is. Edit the agent first.",
    "CARD_BUSY": "Stop the agent on the card's page first, or wait until it ends.",
    "CONFIRMATION_NEEDED": "Tick the box if you agree, then send it again.",
    "NOT_FOUND": "Check the address, or ask for access to the board.",
    "TURN_NOT_RUNNING": "Run the agent again if its work is still needed.",
    "TURN_NOT_ENDED": "Wait for it to end, or stop it first.",
}


def reason_in_words(code: str) -> str:
    """Return the sentence for a reason or outcome code."""
    return REASONS.get(code, code)


def short_reason(code: str) -> str:
    """Return a reason in two or three words."""
    return SHORT_REASONS.get(code, code.replace("_", " ").lower())


def fix_for_people(refused: Refused | Refusal) -> str:
    return FIXES.get(refused.code, refused.fix)


def note_in_words(note: Mapping[str, object]) -> str:
    """Return the sentence for a note of a turn; a note without words here is told by its code."""
    code = str(note.get("code", ""))
    area = str(note.get("area", ""))
    named = {"block": "", **note, "area": AREAS[area][0] if area in AREAS else area}
    return NOTES[code].format_map(named) if code in NOTES else code
