"""The entries of the audit trail in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.template.defaultfilters import filesizeformat

from bakedbrie.lib.money import show_usd
from workspaces.models import AuditEntry
from workspaces.web.capability_words import called

SOMEBODY = "a former member"
PEOPLE = ("member", "owner", "invited_by")
KINDS: Mapping[str, str] = {
    "workspace": "Workspace",
    "member": "Members",
    "invite": "Invitations",
    "board_member": "Board members",
    "board": "Boards",
    "token": "Tokens",
    "assistant": "Connected assistants",
    "capability": "Capabilities",
    "dispatch": "Emergency stop",
    "ai_account": "AI accounts",
    "secret": "Secrets",
    "destination": "Destinations",
    "work_folder": "Work folders and reviews",
}
PROVIDERS = {"anthropic": "Anthropic", "openai": "OpenAI", "openai_compatible": "a compatible service"}
PURPOSES = {
    "ai_account": "an AI account",
    "destination": "a destination",
    "connection": "a connection",
    "external_job": "an outside job",
}


@dataclass(frozen=True)
class Told:
    """What an entry holds, and the names of the members that it holds by id."""

    data: Mapping[str, object]
    names: Mapping[str, str]

    def text(self, key: str) -> str:
        return str(self.data.get(key, ""))

    def quoted(self, key: str) -> str:
        return f"“{self.text(key)}”"

    def who(self, key: str = "member") -> str:
        return self.names.get(self.text(key), SOMEBODY)

    @property
    def account(self) -> str:
        """The account by its label, which entries of before it was kept there do not have."""
        return f"the AI account {self.quoted('label')}" if self.data.get("label") else "an AI account"

    def named(self, key: str, unnamed: str) -> str:
        """The name that an entry holds, or what older entries without it are told by."""
        return self.quoted(key) if self.data.get(key) else unnamed

    @property
    def board(self) -> str:
        return f"the board {self.quoted('board_name')}" if self.data.get("board_name") else "a board"

    def money(self, key: str) -> str:
        micros = self.data.get(key)
        return show_usd(micros) if isinstance(micros, int) else "no cap"

    def room(self, key: str) -> str:
        count = self.data.get(key)
        return str(filesizeformat(count)) if isinstance(count, int) else "what every workspace gets"


def _removed(told: Told) -> str:
    tokens = told.data.get("tokens_revoked")
    return f"removed {told.who()}" + (f"; {tokens} of their tokens ended" if tokens else "")


def _as_manager(told: Told) -> str:
    return " as a manager" if told.data.get("is_manager") else ""


def _stopped(told: Told) -> str:
    return "stopped all new work" + (f": {told.text('reason')}" if told.data.get("reason") else "")


def _ended(told: Told) -> str:
    ways = {
        "given_back": "signed itself out",
        "code_reused": "was cut off: its code came a second time",
        "refresh_reused": "was cut off: an old key of it was used again",
    }
    return f"had the assistant {told.quoted('label')}, which {ways.get(told.text('reason'), 'ended')}"


WORDS: Mapping[str, Callable[[Told], str]] = {
    "workspace.created": lambda told: f"made the workspace {told.quoted('name')}",
    "workspace.renamed": lambda told: f"renamed the workspace from {told.quoted('before')} to {told.quoted('after')}",
    "workspace.time_zone_changed": lambda told: (
        f"changed the time zone from {told.text('before')} to {told.text('after')}"
    ),
    "workspace.quota_changed": lambda told: (
        f"set the room for files to {told.room('after')}, before {told.room('before')}"
    ),
    "member.added": lambda told: f"added {told.who()} as {told.text('role')}",
    "member.role_changed": lambda told: f"made {told.who()} {told.text('after')}, before {told.text('before')}",
    "member.removed": _removed,
    "member.switched": lambda told: f"switched {'on' if told.data.get('is_on') else 'off'} the account of {told.who()}",
    "invite.made": lambda told: f"invited {told.text('email')} as {told.text('role')}",
    "invite.revoked": lambda told: f"took back the invitation of {told.text('email')}",
    "invite.accepted": lambda told: f"joined as {told.text('role')}, invited by {told.who('invited_by')}",
    "board_member.added": lambda told: f"let {told.who()} into a board{_as_manager(told)}",
    "board_member.changed": lambda told: (
        f"made {told.who()} {'a manager' if told.data.get('is_manager') else 'a plain member'} of a board"
    ),
    "board_member.removed": lambda told: f"took {told.who()} off a board",
    "board.setup_undone": lambda told: f"took back the setup of the board {told.quoted('name')}",
    "token.minted": lambda told: f"minted the token {told.quoted('label')}, {told.text('preset').replace('_', ' ')}",
    "token.revoked": lambda told: f"revoked the token {told.quoted('label')}",
    "assistant.connected": lambda told: (
        f"connected the assistant {told.quoted('label')}, {told.text('preset').replace('_', ' ')}"
    ),
    "assistant.ended": lambda told: _ended(told),
    "capability.switched": lambda told: (
        f"switched {'on' if told.data.get('is_on') else 'off'} the capability “{called(told.text('capability'))}”"
    ),
    "dispatch.paused": _stopped,
    "dispatch.resumed": lambda _: "had work go on",
    "ai_account.connected": lambda told: (
        f"connected {told.account}, at {PROVIDERS.get(told.text('provider'), 'a service')}"
    ),
    "ai_account.edited": lambda told: f"edited {told.account}",
    "ai_account.removed": lambda told: f"removed {told.account} and destroyed its key",
    "ai_account.capped": lambda told: (
        f"set the monthly cap of {told.account} to {told.money('cap_micros')}, before {told.money('before_micros')}"
    ),
    "ai_account.bound": lambda told: f"let {told.account} pay for {_scope(told)}",
    "ai_account.unbound": lambda told: f"let {told.account} pay no longer for {_scope(told)}",
    "secret.prepared": lambda told: f"prepared a drop for a key of {told.text('kind')}",
    "destination.created": lambda told: f"connected the destination {told.quoted('name')}",
    "destination.changed": lambda told: f"changed {told.text('fields')} of the destination {told.quoted('name')}",
    "destination.disabled": lambda told: f"turned off the destination {told.quoted('name')} and destroyed its key",
    "destination.default_set": lambda told: (
        f"let the finished cards of {told.board} go to {told.named('name', 'a destination')}"
    ),
    "destination.default_cleared": lambda told: f"let the finished cards of {told.board} go nowhere",
    "destination.override_set": lambda _: "let a card go to a destination of its own",
    "destination.override_cleared": lambda _: "let a card go where its board says",
    "work_folder.set": lambda told: _folder(told),
    "secret.used": lambda told: f"used a dropped key for {PURPOSES.get(told.text('purpose'), 'something')}",
}


def _folder(told: Told) -> str:
    storage = told.text("storage")
    if storage == "none":
        return f"ended reviews on the board {told.quoted('name')}: it has no work folder any more"
    place = "BakedBrie storage" if storage == "hosted" else f"the bucket {told.quoted('bucket')}"
    decides = f"{told.text('reviewer')} alone decides" if told.text("reviewer") else "anyone who opens it decides"
    begun = "began reviews on" if told.text("before") == "none" else "set the work folder of"
    return f"{begun} the board {told.quoted('name')}: what agents make waits in {place}, and {decides}"


def _scope(told: Told) -> str:
    return {"workspace": "the workspace", "board": "a board", "agent": "an agent"}.get(told.text("scope"), "something")


def sentence_of(entry: AuditEntry, names: Mapping[str, str]) -> str:
    """Return what was done, to stand behind who did it."""
    words = WORDS.get(entry.verb)
    return words(Told(entry.data, names)) if words else entry.verb
