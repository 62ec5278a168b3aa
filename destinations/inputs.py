"""What the tools of this app take."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from django.conf import settings
from pydantic import AfterValidator, Field, model_validator

from bakedbrie.lib.outbound.urls import NotPublic, UrlRefused, parse_base_url
from bakedbrie.lib.s3.bucket import is_access_key_id, is_bucket_name, is_region
from bakedbrie.lib.toolkit.inputs import ActionInput, Id, Input, Name
from destinations.rules import MOST_PREFIX_BYTES, MOST_TEMPLATE, path_problems
from workspaces.inputs import CredentialIn

LISTED_BY_OPERATOR = (
    " A bucket on this machine or network is named by the operator first: host:port in OUTBOUND_LOOPBACK"
)


def _endpoint(text: str) -> str:
    try:
        url = parse_base_url(text, loopback=settings.OUTBOUND_LOOPBACK)
    except UrlRefused as refused:
        raise ValueError(str(refused) + (LISTED_BY_OPERATOR if isinstance(refused, NotPublic) else "")) from None
    if "/" in url.partition("://")[2]:
        raise ValueError("is a host alone, without a path: the bucket is named by itself")
    return url


def _bucket(text: str) -> str:
    if not is_bucket_name(text):
        raise ValueError("is no name of a bucket: 3 to 63 small letters, digits, dots and hyphens")
    return text


def _region(text: str) -> str:
    if not is_region(text):
        raise ValueError("is no region, such as eu-central-1, or auto for R2")
    return text


def _access_key_id(text: str) -> str:
    if not is_access_key_id(text):
        raise ValueError("holds characters that no access key id has")
    return text


def _prefix(text: str) -> str:
    """Return it with one slash at its end, or empty."""
    bare = text.strip("/")
    if not bare:
        return ""
    problems = path_problems(bare)
    if len(bare.encode()) >= MOST_PREFIX_BYTES:
        problems.append(f"may have at most {MOST_PREFIX_BYTES - 1} bytes")
    if problems:
        raise ValueError(", ".join(problems))
    return f"{bare}/"


class S3ConfigIn(Input):
    """Where a bucket is. The secret access key comes in a drop of its own."""

    endpoint: Annotated[str, Field(max_length=300), AfterValidator(_endpoint)] = Field(
        description="https://s3.<region>.amazonaws.com, https://<account>.r2.cloudflarestorage.com, or another service."
    )
    bucket: Annotated[str, Field(max_length=63), AfterValidator(_bucket)]
    access_key_id: Annotated[str, Field(max_length=128), AfterValidator(_access_key_id)] = Field(
        description="The name of the key; its secret comes as credential."
    )
    region: Annotated[str, Field(max_length=40), AfterValidator(_region)] = Field(
        default="auto", description="auto for R2."
    )
    prefix: Annotated[str, Field(max_length=MOST_PREFIX_BYTES), AfterValidator(_prefix)] = Field(
        default="", description="A folder in the bucket, before every path."
    )
    path_style: bool = Field(default=True, description="False: the bucket is part of the host name.")

    @model_validator(mode="after")
    def _check_host(self) -> Self:
        if not self.path_style and "." in self.bucket:
            raise ValueError("path_style: must be true for a bucket with a dot in its name")
        return self


Template = Annotated[str, Field(min_length=1, max_length=MOST_TEMPLATE)]


class ManageDestinationIn(ActionInput):
    action: Literal[
        "list",
        "read",
        "create",
        "update",
        "check",
        "set_default",
        "clear_default",
        "set_override",
        "clear_override",
        "preview",
        "test_call",
        "disable",
    ]
    destination_id: Id | None = None
    board_id: Id | None = Field(default=None, description="The board whose finished cards go there.")
    card_id: Id | None = Field(default=None, description="A card that goes elsewhere than its board's.")
    type: Literal["s3"] | None = Field(default=None, description="s3: a bucket of S3, R2 or a compatible service.")
    name: Name | None = None
    config: S3ConfigIn | None = None
    credential: CredentialIn | None = Field(
        default=None, description="The secret access key, as a drop with purpose destination."
    )
    path_template: Template | None = Field(
        default=None,
        description="Placeholders: {board-slug}, {card-slug}, {yyyy-mm-dd}, {card-hash}. "
        "Left out: {board-slug}/{yyyy-mm-dd}-{card-slug}-{card-hash}.md",
    )
    expected_revision: int | None = Field(default=None, ge=1, description="Refuse when it changed since.")
    confirm: bool | None = Field(
        default=None, description="True once the user has seen target and board, and agreed to them."
    )

    needs: ClassVar = {
        "list": (),
        "read": ("destination_id",),
        "create": ("type", "name", "config", "credential"),
        "update": ("destination_id",),
        "check": ("destination_id",),
        "set_default": ("destination_id", "board_id"),
        "clear_default": ("board_id",),
        "set_override": ("destination_id", "card_id"),
        "clear_override": ("card_id",),
        "preview": ("destination_id", "card_id"),
        "test_call": ("destination_id",),
        "disable": ("destination_id",),
    }
    takes: ClassVar = {
        "create": ("path_template", "board_id", "confirm"),
        "update": ("name", "config", "credential", "path_template", "expected_revision", "confirm"),
        "set_default": ("confirm",),
        "set_override": ("confirm",),
        "preview": ("path_template",),
        "test_call": ("confirm",),
        "disable": ("confirm",),
    }


class RedeliverIn(Input):
    delivery_id: Id
    preview_hash: str = Field(
        default="", max_length=64, description="From DESTINATION_CHANGED, once the user agreed to the place it named."
    )
