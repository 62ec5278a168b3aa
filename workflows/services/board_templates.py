"""Boards to begin with: columns, agents and rules for work that many people have, and a card to try them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.services.setup import BoardPlan, PlannedAgent, PlannedRule

_READS = {"read_files": "allowed"}
_ONLY_THE_TEXT = "Answer with the text alone, in Markdown, without a word about how you made it."


@dataclass(frozen=True, kw_only=True)
class BoardTemplate:
    """``plan`` is what is made; ``title`` and ``brief`` are of a card to try it with."""

    key: str
    about: str
    plan: BoardPlan
    title: str
    brief: str

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Return each column with the agent that works in it, or none."""
        works = {rule.from_stage: rule.agent for rule in self.plan.rules}
        return [(column, works.get(column, "")) for column in ("To do", *self.plan.columns, "Done")]


def _agent(name: str, instructions: str) -> PlannedAgent:
    return PlannedAgent(name=name, instructions=f"{instructions} {_ONLY_THE_TEXT}", permissions=_READS)


_BLOG = BoardTemplate(
    key="blog",
    about="An agent outlines each post, a second one writes it, and you read it before it is done.",
    plan=BoardPlan(
        name="Blog posts",
        description="From an idea to a post that somebody has read before it goes out.",
        columns=["Outline", "Draft", "Review"],
        agents=[
            _agent(
                "Outliner",
                "Make an outline for the blog post that the brief asks for: a working title, the one thing that a "
                "reader should take along, and four to seven headings with a line each on what belongs under them. "
                "Use the files of the card as sources. Where the brief leaves something open, choose, and say so at "
                "the end under 'Assumed'.",
            ),
            _agent(
                "Writer",
                "Write the blog post along the outline that the card holds. Plain words, short paragraphs, examples "
                "instead of adjectives. Claim nothing that neither the brief nor the files say.",
            ),
        ],
        rules=[
            PlannedRule(from_stage="Outline", agent="Outliner", to_stage="Draft"),
            PlannedRule(from_stage="Draft", agent="Writer", to_stage="Review"),
        ],
    ),
    title="Why we bake at night",
    brief="A post of about 600 words for people who buy our bread and wonder why the light is on at three in the "
    "morning. Friendly, with one fact that surprises.",
)
_SUPPORT = BoardTemplate(
    key="support",
    about="Paste what a customer wrote; an agent drafts the reply, and you check it before you send it.",
    plan=BoardPlan(
        name="Support replies",
        description="One card for each message of a customer.",
        columns=["Drafting", "Check"],
        agents=[
            _agent(
                "Reply writer",
                "The brief is a message of a customer. Draft the reply: answer every question in the order it was "
                "asked, say what happens next and by when, and apologise once where we were wrong. Promise nothing "
                "that the brief or the files do not promise. Where you miss a fact, put [CHECK: what is missing] in "
                "its place.",
            )
        ],
        rules=[PlannedRule(from_stage="Drafting", agent="Reply writer", to_stage="Check")],
    ),
    title="Delivery came a day late",
    brief="Hello, my order of Friday came on Saturday, and two of the six rolls were squashed. It was for a birthday. "
    "Can I get my money back for those two? And can you deliver before 8 in the morning at all? Kind regards, Nora",
)
_RESEARCH = BoardTemplate(
    key="research",
    about="An agent works through a question and the files you add; a second one makes a page of it.",
    plan=BoardPlan(
        name="Research briefs",
        description="A question goes in, a page that can be decided on comes out.",
        columns=["Research", "Summary", "Read"],
        agents=[
            _agent(
                "Researcher",
                "Work on the question of the brief with what the card and its files hold, and with what you know. List "
                "what speaks for and against, with the source of each point: the name of the file, or 'own "
                "knowledge'. End with what could not be found out.",
            ),
            _agent(
                "Editor",
                "Make one page of the research on the card: the answer in two sentences first, then the three points "
                "that carry it, then what is uncertain. Keep the sources.",
            ),
        ],
        rules=[
            PlannedRule(from_stage="Research", agent="Researcher", to_stage="Summary"),
            PlannedRule(from_stage="Summary", agent="Editor", to_stage="Read"),
        ],
    ),
    title="Should we open on Sundays?",
    brief="We are a bakery of six people in a town of 9,000. What speaks for opening on Sundays from 7 to 11, and what "
    "against? Think of staff, sales, neighbours and the law in general terms.",
)
_RELEASES = BoardTemplate(
    key="releases",
    about="Paste the changes; an agent writes the notes for users, and a second one looks for what was overstated.",
    plan=BoardPlan(
        name="Release notes",
        description="One card for each release.",
        columns=["Writing", "Checking", "Approve"],
        agents=[
            _agent(
                "Notes writer",
                "Write release notes from the changes in the brief and the files, for people who use the product: what "
                "is new, what is better, what is mended, and what they have to do. Leave out what they cannot notice.",
            ),
            _agent(
                "Checker",
                "Compare the release notes on the card with the changes in its brief and files. Correct what is "
                "overstated, missing or wrong, and return the corrected notes.",
            ),
        ],
        rules=[
            PlannedRule(from_stage="Writing", agent="Notes writer", to_stage="Checking"),
            PlannedRule(from_stage="Checking", agent="Checker", to_stage="Approve"),
        ],
    ),
    title="Version 2.4",
    brief="- exports of invoices are five times faster\n- the date picker takes 31 December again\n"
    "- new: bills can be split by room\n- refactored the tax module\n- old API keys stop on 1 March",
)

TEMPLATES: Mapping[str, BoardTemplate] = {one.key: one for one in (_BLOG, _SUPPORT, _RESEARCH, _RELEASES)}
