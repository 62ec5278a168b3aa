"""What needs somebody, in words: its one reason, where it is, and the one step that comes next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from bakedbrie.lib.web import words
from boards.models import Card
from workflows.selectors.home import Need, Risk
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least

_ACCOUNTS, _AGENTS, _RULES, _CARD = "ai-accounts", "agents", "rules", "card"
_REVIEW = "review"

# What to do next about a card, and the page on which it is done; the others are read first.
_STEPS: Mapping[str, tuple[str, str]] = {
    "AI_ACCOUNT_REQUIRED": ("Choose who pays", _ACCOUNTS),
    "AI_ACCOUNT_UNAVAILABLE": ("Mend the AI account", _ACCOUNTS),
    "AI_KEY_REJECTED": ("Mend the AI account", _ACCOUNTS),
    "AI_QUOTA_EXHAUSTED": ("Mend the AI account", _ACCOUNTS),
    "AI_MONTHLY_CAP": ("Look at the cap", _ACCOUNTS),
    "AI_COST_UNKNOWN": ("Look at the cap", _ACCOUNTS),
    "AI_MODEL_UNKNOWN": ("Choose another model", _ACCOUNTS),
    "APPROVAL": ("Say yes or no", _CARD),
    "DELIVERY_ASKED": ("Say yes or no", _CARD),
    "APPROVAL_EXPIRED": ("Run it again", _CARD),
    "AGENT_PAUSED": ("Resume the agent", _AGENTS),
    "AGENT_NOT_PUBLISHED": ("Publish the agent", _AGENTS),
    "AI_OVERLOADED": ("Run it again", _CARD),
    "AI_RATE_LIMITED": ("Run it again", _CARD),
    "AI_UNREACHABLE": ("Run it again", _CARD),
    "AI_PROVIDER_ERROR": ("Run it again", _CARD),
    "AI_COUNTS_REFUSED": ("Run it again", _CARD),
    "AI_PROMPT_TOO_LONG": ("Shorten the card", _CARD),
    "WORKER_LOST": ("Take away the file", _CARD),
    "NO_PROGRESS": ("Change the brief", _CARD),
    "AGENT_RETIRED": ("Move it by hand", _CARD),
    "AGENT_TURNS_SPENT": ("Move it by hand", _CARD),
    "MEMBER_REMOVED": ("Move it by hand", _CARD),
    "RULE_LOOP": ("Look at the rules", _RULES),
    "RULE_PAUSED": ("Move it by hand", _CARD),
    "STAGE_GONE": ("Move it by hand", _CARD),
}
_NEEDS_CAPABILITY = {_ACCOUNTS: "ai_accounts", _AGENTS: "agents", _RULES: "triggers"}


@dataclass(frozen=True, kw_only=True)
class NeedLine:
    """``step`` is empty where the caller can only read."""

    key: str
    badge: str
    word: str
    title: str
    url: str
    reason: str
    where: str
    since: datetime | None
    step: str = ""
    step_url: str = ""


def line_of(caller: Caller, need: Need) -> NeedLine:
    if need.card is not None:
        return _of_card(caller, need, need.card)
    if need.account is not None:
        url = _page(caller, "ai-account", need.account.pk, needs="ai_accounts")
        return NeedLine(
            key=f"account-{need.account.pk}",
            badge="blocked",
            word="Cannot pay",
            title=f"The AI account “{need.account.label}” cannot be used",
            url=url,
            reason=f"{words.reason_in_words(need.code)} No other account pays instead.",
            where="AI accounts",
            since=need.since,
            step="Mend the AI account" if _may_write(caller) and url else "",
            step_url=url,
        )
    if need.rule is not None:
        board = need.rule.board
        url = reverse(_RULES if "triggers" in caller.capabilities else "board", args=[board.pk])
        return NeedLine(
            key=f"rule-{need.rule.pk}",
            badge="blocked",
            word="Stopped",
            title=f"{need.rule.agent.name} no longer starts in “{need.rule.from_stage.name}”",
            url=url,
            reason="The column its cards were to go to was deleted.",
            where=board.name,
            since=need.since,
            step="Give it another column" if _may_write(caller) else "",
            step_url=url,
        )
    return _of_pause(caller, need)


def _of_card(caller: Caller, need: Need, card: Card) -> NeedLine:
    card_url = reverse("card", args=[card.pk])
    is_in_review = need.review_id is not None and "reviews" in caller.capabilities
    is_unclear = need.risk is Risk.UNCLEAR
    step, page = ("Find out what happened", _CARD) if is_unclear else _STEPS.get(need.code, ("Open the card", _CARD))
    if is_in_review:
        step, page = "Review", _REVIEW
    if page in _NEEDS_CAPABILITY and _NEEDS_CAPABILITY[page] not in caller.capabilities:
        step, page = "Open the card", _CARD
    review_url = reverse("review", args=[need.review_id]) if is_in_review else ""
    pages = {
        _CARD: card_url,
        _REVIEW: review_url,
        _ACCOUNTS: f"{reverse('ai-accounts')}?of=board/{card.board_id}#who-pays",
    }
    return NeedLine(
        key=str(card.pk),
        badge=card.badge,
        word="Unclear" if is_unclear else words.BADGES.get(card.badge, card.badge),
        title=card.title,
        url=card_url,
        reason=words.reason_in_words(need.code) if need.code else _waits(need),
        where=f"{card.board.name} · {card.stage.name}" if card.stage else card.board.name,
        since=need.since,
        step=step if _may_write(caller) else "",
        step_url=pages[page] if page in pages else reverse(page, args=[card.board_id]),
    )


def _waits(need: Need) -> str:
    return "What the agent made waits for a decision." if need.review_id is not None else ""


def _of_pause(caller: Caller, need: Need) -> NeedLine:
    held = "1 card waits" if need.cards == 1 else f"{need.cards} cards wait"
    said = caller.workspace.dispatch_reason
    may_resume = is_at_least(caller.role, Role.ADMIN)
    return NeedLine(
        key="pause",
        badge="waiting",
        word="Paused",
        title="Work is paused in this workspace",
        url="",
        reason=f"{said} " * bool(said) + f"{held if need.cards else 'Nothing waits yet'}; agents start nothing new.",
        where=caller.workspace.name,
        since=need.since,
        step="Resume work" if may_resume else "Ask an owner or admin to resume it",
        step_url=reverse("settings") if may_resume else "",
    )


def _page(caller: Caller, name: str, pk: object, *, needs: str) -> str:
    return reverse(name, args=[pk]) if needs in caller.capabilities else ""


def _may_write(caller: Caller) -> bool:
    return is_at_least(caller.role, Role.MEMBER)
