"""What the product promises of reviews and work folders; `tests.requirements` takes it in."""

from __future__ import annotations

REVIEWS = """
V001 | with a work folder, what an agent makes waits for a person
V002 | a person approves, rejects or requests changes
V003 | requested changes run the agent again with the note
V004 | whoever opens the board may decide
V005 | on a shared board the maker does not approve
V006 | on a board of their own they do
V007 | where one reviewer is named, only that person decides
V008 | set_work_folder names that reviewer
V009 | a click in Slack counts for linked people only
V010 | and within the same limits
V011 | get_review gives the exact content and its intent_hash
V012 | decide_review takes that hash
V013 | what changed since is refused, and shown anew
V014 | the tool is for what a person asked for, and no run holds it
V015 | a rule without review makes none
V016 | list_reviews lists what waits
V017 | the three tools need reviews
V018 | a board's files lie in its work folder while work goes on
V019 | four folders are made in it
V020 | approved files move to Approved/
V021 | only a work folder turns reviews on
V022 | a work folder is an s3 destination of the user's own
V023 | without hosted storage none of it is stored here
V024 | set_work_folder names the folder, and a reviewer where there is one
V025 | the hosted folder is there only with its capability
V026 | then a new board gets one without any setup
V027 | its files open through short-lived links alone
V028 | a workspace has a quota
V029 | what goes over it is refused with its own code
V030 | the user's own bucket is then among the advanced settings
V031 | a reviewer sees exactly what is approved
V032 | what was rejected is not delivered
V033 | what changed after an approval is reviewed again
V034 | who decided what, when and why stays on the card
"""
