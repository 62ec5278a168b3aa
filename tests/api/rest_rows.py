"""One row for each method of each address below /api/v1/, but for the calls of tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.api.world import names_in


@dataclass(frozen=True, kw_only=True)
class RestRow:
    """``path`` and ``body`` name ids of the world with a $. ``status`` and ``code`` are what the owner gets.

    ``least`` is who may do it, a name in RANK. ``hidden``
    is the code for those below, where it is not the one that their role gets elsewhere.
    """

    method: str
    path: str
    body: dict[str, Any] | bytes | None = None
    query: str = ""
    status: int = 200
    code: str = ""
    least: str = "member"
    is_read: bool = False
    serves_runner: bool = False
    hidden: str = ""

    @property
    def id_names(self) -> set[str]:
        return names_in([self.path, self.body])


def read(path: str, **more: Any) -> RestRow:
    return RestRow(method="get", path=f"/api/v1/{path}", is_read=True, **{"least": "viewer", **more})


def write(method: str, path: str, body: dict[str, Any] | bytes | None = None, **more: Any) -> RestRow:
    return RestRow(method=method, path=f"/api/v1/{path}", body=body, **more)


def managed(method: str, path: str, body: dict[str, Any] | None = None, **more: Any) -> RestRow:
    return write(method, path, body, least="manager", **more)


MEMBER = "boards/$board/members/$member"
CHANGED = "PREVIEW_CHANGED"

REST_ROWS: tuple[RestRow, ...] = (
    read("token", status=204, serves_runner=True),
    read("tools", serves_runner=True),
    read("whoami", serves_runner=True),
    read("members"),
    read("members/$member"),
    read("invites", least="admin"),
    read("audit", least="admin"),
    read("audit", query="?verb=dispatch.paused", least="admin"),
    read("capabilities"),
    read("tokens"),
    write("post", "tokens/$token/revoke", least="admin", hidden="NOT_FOUND"),
    write("post", "drops/$empty_drop", b" 61"),
    read("boards"),
    read("boards/$board"),
    managed("patch", "boards/$board", {"expected_revision": 3, "name": "New"}),
    write("patch", "boards/$board", {"expected_revision": 3, "guidelines": "Be brief."}),
    read("boards/$board/events"),
    read("boards/$board/members"),
    read("boards/$board/stages"),
    read("boards/$board/agents"),
    managed("post", "boards/$board/members", {"member_id": "$newcomer"}),
    managed("patch", MEMBER, {"is_manager": True}),
    managed("delete", MEMBER),
    managed("post", "boards/$board/archive"),
    managed("post", "boards/$board/restore"),
    read("boards/$board/work_folder"),
    managed("put", "boards/$board/work_folder", {"inbox": "off", "reviewer_id": "$member", "confirm": True}),
    read("boards/$board/work_folder/files"),
    read("boards/$board/work_folder/files", query="?folder=needs_review"),
    RestRow(method="post", path="/api/v1/folder_files/$folder_file/link", is_read=True, least="viewer"),
    read("cards"),
    read("cards", query="?board_id=$board"),
    read("cards", query="?stage_id=$todo"),
    read("cards", query="?board_id=$board&owner=$agent_owner"),
    read("cards/$card"),
    write("patch", "cards/$card", {"expected_revision": 2, "title": "New", "owner": "$agent_owner"}),
    read("cards/$card/comments"),
    read("cards/$card/events"),
    read("cards/$card/rounds"),
    read("cards/$card/results"),
    read("cards/$busy_card/turns"),
    read("agents/$agent"),
    read("agents/$agent/versions"),
    read("turns/$turn"),
    read("approvals"),
    read("approvals", query="?board_id=$board&state=pending"),
    read("approvals/$approval"),
    write("post", "approvals/$approval/answer", {"answer": "once", "input_hash": "0" * 64}, status=409, code=CHANGED),
    read("results"),
    read("results", query="?board_id=$board"),
    read("outputs/$file"),
    read("outputs/$result", query="?as=source"),
    read("reviews"),
    read("reviews", query="?board_id=$board&state=open"),
    read("reviews/$review"),
    write(
        "post", "reviews/$review/decision", {"intent_hash": "0" * 64, "decision": "reject"}, status=409, code=CHANGED
    ),
    read("agents/$agent/permits"),
    managed("delete", "permits/$permit"),
    read("triggers"),
    read("triggers", query="?board_id=$board"),
    read("rules/$rule"),
    read("destinations"),
    read("destinations/$destination"),
    read("cards/$second_card/deliveries"),
    read("deliveries/$delivery"),
    read("ai_accounts"),
    read("ai_accounts/$account"),
    read("cards/$card/files"),
    write("post", "cards/$card/files", b"hello", query="?name=a.txt", status=201),
    write("post", "cards/$card/trash"),
    write("post", "cards/$trashed_card/restore"),
    write("post", "cards/$busy_card/trash", status=409, code="CARD_BUSY"),
    read("files/$file"),
    write("delete", "files/$file"),
    RestRow(method="post", path="/api/v1/files/$file/link", is_read=True, least="viewer"),
    read("files/$file/content"),
)
