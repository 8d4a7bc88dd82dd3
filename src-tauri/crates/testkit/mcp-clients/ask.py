"""Asks the desk through the official Python SDK, and says on standard output what comes of it, a line of JSON each.

usage: ask.py CONFIG MODE CALL
  CONFIG  a file with `mcpServers`, as `askdesk connect` writes it
  MODE    legacy or 2026-07-28: which protocol is spoken
  CALL    the arguments of ask_user_question
A line `cancel` on standard input cancels the call; the next line makes it once more.
"""

import json
import sys

import anyio.to_thread
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation


def say(value):
    print(json.dumps(value), flush=True)


async def main(config, mode, call):
    with open(config, encoding="utf-8") as file:
        server = json.load(file)["mcpServers"]["askdesk"]
    timeout = httpx2.Timeout(30, read=20)
    async with httpx2.AsyncClient(headers=server["headers"], timeout=timeout, trust_env=False) as http:
        transport = streamable_http_client(server["url"], http_client=http)
        info = Implementation(name="python", version="1.0.0")
        async with Client(transport, mode=mode, client_info=info) as client:
            await talk(client, json.loads(call))


async def talk(client, call):
    tools = (await client.list_tools()).tools
    say({"tools": [tool.name for tool in tools]})

    async def progress(progress, total, message):
        say({"progress": progress, "message": message})

    async def ask():
        result = await client.call_tool("ask_user_question", call, progress_callback=progress)
        say({"result": result.model_dump(mode="json", by_alias=True, exclude_none=True)})

    asking = anyio.CancelScope()

    async def line():
        return await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)

    async def listen():
        if (await line()).strip() == "cancel":
            asking.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        with asking:
            await ask()
        if asking.cancelled_caught:
            say({"cancelled": True})
            await line()
            await ask()
        tasks.cancel_scope.cancel()


anyio.run(main, *sys.argv[1:])
