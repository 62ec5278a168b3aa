"""author_workflow_draft, publish_workflow and list_triggers."""

from __future__ import annotations

from agents.access import get_agent
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board, get_stage
from workflows.access import get_rule
from workflows.inputs import AuthorWorkflowDraftIn, ListTriggersIn, PublishWorkflowIn
from workflows.selectors.triggers import boards_with_triggers, rules_of_boards, with_backlogs
from workflows.serializers import RuleSerializer, TriggerSerializer
from workflows.services.rules import Then, pause_rule, publish_rule, write_rule_draft
from workflows.states import OnApproval, RuleReview
from workspaces.caller import Caller


def author_workflow_draft(caller: Caller, given: AuthorWorkflowDraftIn) -> Answer:
    rule = write_rule_draft(
        caller,
        board=get_board(caller, given.board_id),
        rule=get_rule(caller, given.rule_id) if given.rule_id else None,
        from_stage=get_stage(caller, given.from_stage_id),
        agent=get_agent(caller, given.agent_id),
        to_stage=get_stage(caller, given.to_stage_id),
        then=Then(
            review=RuleReview(given.review) if given.review else None,
            on_approval=OnApproval(given.on_approval) if given.on_approval else None,
        ),
    )
    return {"rule": RuleSerializer(get_rule(caller, rule.pk)).data}


def publish_workflow(caller: Caller, given: PublishWorkflowIn) -> Answer:
    rule = get_rule(caller, given.rule_id)
    if given.action == "pause":
        return {"rule": RuleSerializer(pause_rule(caller, rule=rule)).data}
    published = publish_rule(caller, rule=rule)
    answer = {"rule": RuleSerializer(published.rule).data, "cards_in_stage": published.cards_in_stage}
    if published.cards_in_stage:
        answer["note"] = (
            "Cards that stand in this column already were not started. Move one to another column and back to start it."
        )
    return answer


def list_triggers(caller: Caller, given: ListTriggersIn) -> Answer:
    rules = rules_of_boards(boards_with_triggers(caller, given.board_id))
    return {"triggers": show_rows(TriggerSerializer(), with_backlogs(rules))}


AUTHOR_WORKFLOW_DRAFT = Tool[Caller](
    name="author_workflow_draft",
    title="Write a rule",
    description=(
        "Writes the draft of a rule: while a card is in one column an agent works on it, then it moves to another "
        "column. With rule_id it drafts a change of that rule, which goes on as it is until the change is published. "
        "A draft does nothing: publish it with publish_workflow."
    ),
    input=AuthorWorkflowDraftIn,
    handler=author_workflow_draft,
    effect=Effect.WRITE,
    capabilities=("triggers",),
)
PUBLISH_WORKFLOW = Tool[Caller](
    name="publish_workflow",
    title="Publish or pause a rule",
    description=(
        "Turns a rule on (publish) or off (pause). From then on every card that enters its column starts its agent, "
        "and its AI account pays: confirm with the user before you publish. Publishing starts nothing for cards that "
        "are in the column already; the answer counts them. No AI account is needed to publish: a card then waits "
        "until one is bound. Pausing lets a running agent finish, and lets go the cards that were still waiting."
    ),
    input=PublishWorkflowIn,
    handler=publish_workflow,
    effect=Effect.WRITE,
    capabilities=("triggers",),
)
LIST_TRIGGERS = Tool[Caller](
    name="list_triggers",
    title="List rules and schedules",
    description=(
        "Lists everything that starts work, on one board or on all that you can open: each with its state, next run "
        "(rules have none: they start when a card enters their column), last error, and backlog, which is how many "
        "cards wait for it."
    ),
    input=ListTriggersIn,
    handler=list_triggers,
    effect=Effect.READ,
    capabilities=("triggers",),
)
