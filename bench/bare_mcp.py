"""What the SDK alone costs: its server as it comes, with one tool that makes one thread hop and one SELECT.

Run as a process: the number of a listening socket it inherits, and the database's address, are its arguments.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mcp_types as types
import psycopg
import uvicorn
from mcp.server.lowlevel import Server

THREADS = 2
CARD = "SELECT id::text, title, brief FROM boards_card WHERE id = %s"

_pool = ThreadPoolExecutor(THREADS)
_kept = threading.local()


def build(database: str) -> Server[Any]:
    def read(card_id: str) -> str:
        if not hasattr(_kept, "connection"):
            _kept.connection = psycopg.connect(database, autocommit=True)
        row = _kept.connection.execute(CARD, [card_id]).fetchone()
        return json.dumps(dict(zip(("id", "title", "brief"), row, strict=True)))

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        schema = {"type": "object", "properties": {"card_id": {"type": "string"}}, "required": ["card_id"]}
        return types.ListToolsResult(tools=[types.Tool(name="read_card", input_schema=schema)])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        card_id = (params.arguments or {})["card_id"]
        text = await asyncio.get_running_loop().run_in_executor(_pool, read, card_id)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


def main(descriptor: int, database: str) -> None:
    application = build(database).streamable_http_app(stateless_http=True, json_response=True)
    config = uvicorn.Config(application, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
