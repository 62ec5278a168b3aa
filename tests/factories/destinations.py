"""Destinations and deliveries, made the way the product makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from boards.access import get_card
from boards.contents import Content, round_contents
from boards.models import Board, Card, Iteration
from boards.services.rounds import keep_result, start_round
from destinations.calls.connecting import create_destination
from destinations.models import Delivery, Destination
from destinations.rules import DEFAULT_TEMPLATE
from destinations.services.deliveries import queue_delivery
from destinations.services.destinations import BucketConfig, DestinationPlan, add_destination
from destinations.services.uses import set_default
from destinations.states import Cause
from tests.factories.boards import make_board, make_card
from tests.support.buckets import S3Server
from tests.support.canary import plant
from workspaces.caller import Caller
from workspaces.models import SecretDrop
from workspaces.services.capabilities import switch_capability
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.services.secrets import seal_secret
from workspaces.states import SecretPurpose

DAY = date(2026, 11, 30)
RESULT = "# Prices\n\nBread 3, brie 7.\n"


def drop_key(caller: Caller, secret: str) -> SecretDrop:
    """A filled drop with the secret of a bucket's key, which must never be seen."""
    drop = prepare_drop(caller, kind="s3", purpose=SecretPurpose.DESTINATION, env_var="S3_SECRET")
    return fill_drop(caller, drop_id=drop.pk, value=plant(secret))


def config_of(server: S3Server, bucket: str, prefix: str = "") -> BucketConfig:
    return BucketConfig(
        endpoint=server.endpoint,
        bucket=bucket,
        access_key_id=server.access_key_id,
        region="us-east-1",
        prefix=prefix,
    )


def make_destination(
    caller: Caller,
    server: S3Server,
    *,
    board: Board | None = None,
    bucket: str = "",
    prefix: str = "out/",
    path_template: str = DEFAULT_TEMPLATE,
) -> Destination:
    """A destination in a new bucket, the default of ``board`` where one is given. The capability is switched on."""
    switch_capability(caller, name="destinations", is_on=True)
    plan = DestinationPlan(
        name="Website",
        config=config_of(server, bucket or server.new_bucket().name, prefix),
        path_template=path_template,
    )
    made = create_destination(caller, plan=plan, drop_id=drop_key(caller, server.secret).pk)
    if board is not None:
        set_default(caller, destination=made, board=board)
    return made


def bare_destination(caller: Caller, board: Board) -> Destination:
    """A destination at an address that answers nobody, as the default of a board; its key was never tried."""
    plan = DestinationPlan(
        name="Website",
        config=BucketConfig(endpoint="https://absent.invalid", bucket="cheese", access_key_id="AKIA", prefix="out/"),
    )
    secret = seal_secret(caller.workspace, purpose=SecretPurpose.DESTINATION, value=plant("canary of a bucket"))
    made = add_destination(caller, plan=plan, secret=secret)
    set_default(caller, destination=made, board=board)
    return made


def queued_delivery(caller: Caller, card: Card, destination: Destination) -> Delivery:
    """A delivery of a new round's result that nobody has rung for yet."""
    iteration = start_round(caller, card=card)
    keep_result(card=card, iteration=iteration, made_by=caller.actor, markdown=RESULT)
    return queue_delivery(
        caller.actor,
        card=card,
        iteration=iteration,
        destination=destination,
        contents=round_contents(card, iteration),
        finished_on=DAY,
        cause=Cause.FINISH,
    )


@dataclass(kw_only=True)
class Parcel:
    """A card with a result, and where it goes."""

    caller: Caller
    server: S3Server
    board: Board
    card: Card
    iteration: Iteration
    destination: Destination
    contents: list[Content] = field(default_factory=list)

    @property
    def bucket(self) -> str:
        return str(self.destination.config["bucket"])

    def queue(self, contents: list[Content] | None = None, *, day: date = DAY) -> Delivery:
        return queue_delivery(
            self.caller.actor,
            card=self.card,
            iteration=self.iteration,
            destination=self.destination,
            contents=self.contents if contents is None else contents,
            finished_on=day,
            cause=Cause.FINISH,
        )

    def write(self, markdown: str, *, in_new_round: bool = False) -> list[Content]:
        """Leave a newer result, and return what the round made by now."""
        if in_new_round:
            self.iteration = start_round(self.caller, card=self.card)
        keep_result(card=self.card, iteration=self.iteration, made_by=self.caller.actor, markdown=markdown)
        self.contents = round_contents(self.card, self.iteration)
        return self.contents


def make_parcel(caller: Caller, server: S3Server, *, title: str = "Compare prices", path_template: str = "") -> Parcel:
    board = make_board(caller)
    destination = make_destination(caller, server, board=board, path_template=path_template or DEFAULT_TEMPLATE)
    card = get_card(caller, make_card(caller, board, title=title).pk)
    parcel = Parcel(
        caller=caller,
        server=server,
        board=card.board,
        card=card,
        iteration=start_round(caller, card=card),
        destination=destination,
    )
    parcel.write(RESULT)
    return parcel
