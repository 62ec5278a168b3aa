"""What the product promises, one line each, and which lines are for later.

A line is carried by a test that names it with ``@pytest.mark.requirement``, or it is deferred with a reason;
`tests/architecture/test_requirements.py` holds both to each other. Ids of the form C001 in markers are hard cases
from bug reports of other projects; of those only what is for later is listed.
"""

from __future__ import annotations

from tests.requirements_of_reviews import REVIEWS

WORKSPACES = """
W001 | members, boards, AI accounts, destinations and tokens live in exactly one workspace
W002 | no id of another workspace opens anything, through any door
W003 | a token works in one workspace, and whoami names it
W004 | a member is owner, admin, member or viewer
W005 | some acts take an owner or admin, such as the emergency stop
W006 | only owners and admins link Slack users to members
W007 | a token opens the boards its member may open, and no others
W008 | a token is of the preset full_control, read_only or runner
W009 | a read_only token that writes gets TOKEN_READ_ONLY and learns whom to ask
W010 | a runner token does nothing but serve the runner
W011 | tokens are minted by a person in the settings page
W012 | all work can be stopped and resumed with two tools under dispatch
W013 | whoami tells that work is paused
W014 | while work is paused nothing new starts; what waits starts on resume
W015 | whoami comes first and needs control alone
W016 | whoami gives the workspace's id and name
W017 | whoami gives the user's id, name and role
W018 | whoami gives the token's id, label and preset
W019 | whoami gives all capabilities, each true or false
W020 | whoami gives dispatch_paused
W021 | whoami gives the AI accounts of this workspace
W022 | whoami gives the destinations of this workspace
W023 | whoami gives the runners while the runner capability is on
W024 | whoami gives the address of the web app
W025 | whoami gives no secret away
W026 | a capability is switched for one workspace alone
W027 | control turns on whoami, manage_stages and the fuller board reads
W028 | agents turns on the agent tools
W029 | triggers turns on rules and schedules
W030 | secrets turns on prepare_secret
W031 | ai_accounts turns on the four account tools
W032 | destinations turns on destinations, results and redelivery
W033 | reviews turns on work folders and reviews
W034 | media turns on card files, uploads, outputs and device pairing
W035 | external_jobs turns on media jobs at outside services
W036 | dispatch turns on the emergency stop
W037 | outputs is reserved and changes nothing
W038 | setup turns on setup_board and undo_setup
W039 | inbound turns on inbound endpoints
W040 | api_workflow turns on API destinations, hooks, check rules, guidelines, inbound endpoints and Slack links
W041 | runner turns on the runner, and two more say which programs it takes
W042 | hosted_ai lets cards run on the server with the user's own key
W043 | slack_app turns on the shared Slack app
W044 | hosted_work_folder gives new boards a folder of ours
W045 | custom_oauth lets API destinations sign in through the user's own OAuth app
W046 | connections turns on the five connection tools
W047 | connections_oauth turns on OAuth connections, mail drafts and Teams
W048 | connections_oauth counts as off while connections is off
W049 | connection_webhooks lets signed events make cards
W050 | connection_webhooks counts as off while one of its two needs is off
W051 | ten base tools are always listed
W052 | any other tool is listed only while all its capabilities are on
W053 | calling a tool that is off answers CAPABILITY_OFF
W054 | a refusal is an error result with code, message, fix and request_id
W055 | codes are stable and each is documented
W056 | fix says what to do next
W057 | a conflict of revisions tells the current one
W058 | request_id comes back in every answer
W059 | the same call under the same request_id acts once
W060 | another call under a used request_id is refused
W061 | REST refuses with the same codes, and with fields and retryable
W062 | success wraps everything in untrusted_data
W063 | whatever people and programs wrote counts as untrusted
W064 | nothing is approved, sent or changed because content says so
W065 | prepare_secret takes kind, purpose and env_var
W066 | a secret has one of four purposes
W067 | prepare_secret gives drop_id, expires_at and a command
W068 | the command posts the variable's value with the same token
W069 | the value never passes through the conversation
W070 | a drop is used by naming its drop_id to the tool that needs the key
W071 | a drop works once
W072 | a drop lasts ten minutes
W073 | a drop works with the token that prepared it
W074 | a used or expired drop says so and how to go on
W075 | a drop for one purpose serves no other
W076 | a drop that was not filled yet says that
W077 | the user documents are readable in the app
"""

BOARDS = """
B001 | a board holds columns, cards, agents, rules and schedules
B002 | a board may have a destination and a work folder
B003 | there are tools to list, read, make, set up and guide boards
B004 | a new board has To do, Doing and Done
B005 | the API calls a column a stage
B006 | what a card is doing shows on the card, never as a column
B007 | read_board gives the columns with their ids
B008 | a column can be renamed
B009 | a new column stands just before Done
B010 | reordering names every column exactly once
B011 | the first column stays first
B012 | Done stays last
B013 | an empty middle column can be deleted
B014 | the first column is never deleted
B015 | Done is never deleted
B016 | a column with cards is not deleted
B017 | a column where something starts is not deleted
B018 | and the refusal names what starts there
B019 | deleting a column is confirmed by the user
B020 | manage_stages needs control
B021 | setup_board takes the middle columns
B022 | a board can be set up in one call and undone
B023 | guidelines can be read and written under api_workflow
B024 | a card has title, brief, comments, files, result and one owner
B025 | the owner is a person, an agent or an automation
B026 | the agent works from the brief
B027 | brief, files, decisions and results live on the card
B028 | there are tools for everything a card is for
B029 | list_card_files needs media
B030 | a move is previewed, with consequences and a hash
B031 | a move needs that hash
B032 | a card that changed meanwhile refuses the move
B033 | and moves after a new preview
B034 | a card changes its place inside a column
B035 | a comment keeps author and time
B036 | a file keeps name, type, size and sha256
B037 | files are uploaded and devices paired
B038 | a finished card has a result with its hash, and output files
B039 | results, receipts, approved files and open ends are listed
B040 | an output is given as a link or as its source
B041 | archiving turns hooks off
B042 | archiving turns inbound endpoints off
B043 | archiving frees Slack channels
B044 | a board with several members is a shared one
B045 | who may open a board is decided per member
B046 | edits carry a revision, and a conflict tells the current one
"""

AGENTS = """
A001 | an agent works on its own board
A002 | an agent has name, instructions and permissions
A003 | a permission is off, ask or allowed
A004 | read_files decides over file contents
A005 | web decides over the web
A006 | email decides over mail
A007 | other_apps decides over connected apps
A008 | deliver decides over delivering
A009 | create_images decides over images
A010 | create_audio decides over audio
A011 | create_video decides over video
A012 | ask means a person decides each time
A013 | a draft does nothing
A014 | editing a published agent leaves the published version at work
A015 | publishing puts the draft to work
A016 | an agent can be paused
A017 | and resumed
A018 | and retired, with its history kept
A019 | an agent adds no credentials
A020 | an agent makes up no recipients
A021 | an agent spends no more than it was given
A022 | permissions that send outside are confirmed by the user
A023 | three agent tools exist under agents
A024 | after a binding of its own an agent is published again
A025 | a turn names the version it used
"""

RULES = """
R001 | a card in a rule's column is worked on and then moves on
R002 | a rule begins as a draft
R003 | a rule is published and paused
R004 | a draft rule does nothing
R005 | a rule may be published without an AI account
R006 | a card then waits with AI_ACCOUNT_REQUIRED
R007 | and starts by itself when an account is bound
R008 | check rules need api_workflow
R009 | a check rule names a column for failures
R010 | a failed check sends the card there
R011 | checks are bounded, three rounds by default
R012 | after that people look at it
R013 | a rule can do without review
R014 | list_triggers gives state, next run, last error and backlog
R015 | rules, schedules, service events and change checks start work
R016 | a schedule makes cards at a local time
R017 | its next five runs can be seen
R018 | run times follow daylight saving
R019 | a schedule can be run now
R020 | manage_schedule needs triggers
R021 | events and change checks may start a step
R022 | and automations that may send already
R023 | automatic sending is allowed on the web, per automation
R024 | other automations stay under review
R025 | no token ever allows automatic sending
R026 | only a board manager allows it
R027 | it is for one sending account
R028 | and one source of recipients
R029 | and one policy of content
R030 | and within limits
R031 | only then nothing waits for approval
R032 | a rule keeps its last error and its backlog
R033 | a column where a schedule starts is not deleted
R034 | rules that feed each other come to an end
"""

AI_ACCOUNTS = """
I001 | an AI account pays for the work, and its key is never shown
I002 | an account can be the user's own OpenAI or Anthropic key
I003 | or the user's own program on their computer
I004 | it is bound to workspace, board or agent
I005 | the nearest binding wins
I006 | an agent that was bound is published again
I007 | the bound account pays, and no other
I008 | we pay for nothing
I009 | there is no fallback
I010 | an account that cannot be used is AI_ACCOUNT_UNAVAILABLE
I011 | a runner's card waits for the computer
I012 | four account tools exist under ai_accounts
I013 | a key comes by a drop
I014 | without hosted_ai an api_key account does not run
I015 | with hosted_ai it runs on the server
I016 | an OpenAI key makes images
I017 | an Anthropic account refuses images
I018 | audio and video are refused
I019 | a call is sent once, and never again after it left
I020 | a runner takes only its own cards
I021 | a runner uses the program the user is signed in to
I022 | a runner sends back result and files
I023 | the runner and its programs each need their capability
I024 | whoami lists the user's computers
I025 | an account of a runner shows whether it is online
I026 | a runner's lost claim is not run twice
I027 | a runner pairs with a code
"""

DESTINATIONS = """
D001 | a destination is of type github, s3, google_drive or webhook
D002 | github opens a pull request
D003 | s3 writes to the user's own S3 or R2 bucket
D004 | google_drive writes a document or file
D005 | google_drive is signed in to, or used with a service account
D006 | webhook is a preset or a custom API
D007 | webhook needs api_workflow
D008 | the path template says where files go
D009 | it knows the board's slug
D010 | it knows the card's slug
D011 | it knows the day the card was finished
D012 | it knows six characters that no other card has
D013 | there is a default template
D014 | a card's other files lie beside the result, named after it
D015 | a destination is a board's default or a card's override
D016 | target and board are confirmed, for they approve every later delivery
D017 | a credential comes by a drop
D018 | turned off, it is no board's default any more
D019 | turned off, it is no card's override any more
D020 | turned off, the hooks that use it are off
D021 | turned off, its credential is destroyed
D022 | the answer lists what was cleared
D023 | it is never turned on again
D024 | paths of a custom API may hold a secret
D025 | these paths are for who connected it and for owners and admins
D026 | others see the host, and that something was left out
D027 | what was left out stays when it is sent back
D028 | board hooks need api_workflow
D029 | a hook runs an action when something happens on the board
D030 | one happening is that a review was asked for
D031 | one is that a review was decided
D032 | one is that something was delivered
D033 | one is that something was published
D034 | one is that figures came in
D035 | a hook can post a draft with buttons to Slack
D036 | the list of hooks tells the last error
D037 | a Slack channel without the bot has its own code
D038 | a destination whose hook failed shows as failing
D039 | archiving a board turns its hooks off
D040 | three tools serve destinations, hooks and redelivery
D041 | each delivery has a receipt
D042 | a lost answer is no success: the outcome is unknown
D043 | redeliver goes by the same key and doubles nothing
D044 | destinations can be previewed and tried
D045 | a preview sends nothing
D046 | a test call is one, after a person agreed
D047 | delivery happens at the finish, or on approval where there is a review
D048 | a credential is in no answer
"""

LATER_CONNECTIONS = "connections to outside services are not built yet"
LATER_SCHEDULES = "schedules are not built yet"
LATER_INBOUND = "endpoints that take messages in are not built yet"
LATER_SLACK = "Slack is not built yet"
LATER_GATE = "of the six things that it turns on, only guidelines are built yet; rules without review need it too"
LATER_TRIGGERS = "events of outside services and change checks are not built yet"
LATER_AUTOMATIC = "service events and connections, by which an automation would send, are not built yet"
LATER_CHECKS = "check rules are not built yet"
LATER_RUNNER = "the runner is not built yet"
LATER_MEDIA = "media that agents make, outside jobs and device pairing are not built yet"


def _all(ids: str, reason: str) -> dict[str, str]:
    return dict.fromkeys(ids.split(), reason)


LATER_KINDS = "destinations of other kinds than s3 are not built yet"
LATER_HOOKS = "board hooks are not built yet"

DEFERRED: dict[str, str] = {
    **_all("W045 D002 D004 D005 D006 D007 D024 D025 D026 D027", LATER_KINDS),
    **_all("B041 D020 D028 D029 D030 D031 D032 D033 D034 D035 D036 D037 D038 D039 D040", LATER_HOOKS),
    **_all("V009 V010", LATER_SLACK),
    **_all("W046 W047 W049 A006 A007 A020", LATER_CONNECTIONS),
    **_all("W039 B042", LATER_INBOUND),
    **_all("W006 W043 B043", LATER_SLACK),
    **_all("W040", LATER_GATE),
    **_all("R016 R017 R018 R019 R020 R033", LATER_SCHEDULES),
    **_all("R015 R021", LATER_TRIGGERS),
    **_all("R022 R023 R024 R025 R026 R027 R028 R029 R030 R031", LATER_AUTOMATIC),
    **_all("R008 R009 R010 R011 R012", LATER_CHECKS),
    **_all("W023 W041 I003 I011 I020 I021 I022 I023 I024 I025 I026 I027", LATER_RUNNER),
    **_all("W035 A009 A010 A011 B037 I016 I017 I018", LATER_MEDIA),
}

# What hard cases hold beyond what there is: the rest of such a case is tried by the tests that carry its id.
DEFERRED_CASES: dict[str, str] = {
    "C020": "schedules that are due twice, late or in another zone: " + LATER_SCHEDULES,
    "C021": "the age of Slack's signatures and due times: " + LATER_SCHEDULES,
    "C057": "templates of API destinations: " + LATER_KINDS,
    "C058": "templates of API destinations: " + LATER_KINDS,
    "C060": "the filters that clip and count: " + LATER_KINDS,
    "C062": "templates and paths that multiply: " + LATER_KINDS,
    "C064": "paths into answers: " + LATER_KINDS,
    "C065": "the filters of templates: " + LATER_KINDS,
    "C072": "a ceiling that two boards share: " + LATER_CONNECTIONS,
    "C076": "calls counted over the life of a card: " + LATER_CONNECTIONS,
    "C077": "jobs that are asked after, and steps of a column: " + LATER_CONNECTIONS,
    "C082": "what a block asks of a connection: " + LATER_CONNECTIONS,
}

DEFERRED_AREAS: dict[str, str] = {
    "P": "API destinations: not begun",
    "C": "connections: not begun",
    "O": "OAuth connections and mail drafts: not begun",
    "H": "events of outside services, inbound endpoints and Slack: not begun",
    "M": "media and outside jobs: not begun",
    "F": "ready-made workflows, their runs and notifications: not begun",
    "G": "the apps tools of agents: not begun",
}


def _lines(*areas: str) -> dict[str, str]:
    pairs = [line.split(" | ", 1) for area in areas for line in area.strip().splitlines()]
    ids = [line_id for line_id, _ in pairs]
    if len(ids) != len(set(ids)):
        raise ValueError("A requirement is listed twice.")
    return dict(pairs)


REQUIREMENTS = _lines(WORKSPACES, BOARDS, AGENTS, RULES, AI_ACCOUNTS, DESTINATIONS, REVIEWS)
