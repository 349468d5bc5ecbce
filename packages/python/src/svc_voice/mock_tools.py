"""Mock tools of a simulation, which the service answers."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import urllib.parse
import urllib.request
from collections.abc import Callable, Coroutine
from typing import Any

from .connection import opener
from .settings import MockTools

ANSWER_SECONDS = 45
"""A mock tool can delay its answer by up to 30 s."""

installed = contextlib.ExitStack()
"""Open until the process ends."""


def install_mock_tools(tools: MockTools) -> None:
    """Lets the service answer these tools for every agent class of the process that is declared before the call."""
    from livekit.agents import Agent, mock_tools
    from livekit.agents.llm import ToolError

    mocks = {name: create_mock(name, tools, ToolError) for name in tools.names}
    for agent in classes_of(Agent):
        installed.enter_context(mock_tools(agent, mocks))


def classes_of(agent: type[Any]) -> list[type[Any]]:
    """Returns the class and its subclasses."""
    return [agent, *(one for child in agent.__subclasses__() for one in classes_of(child))]


def create_mock(name: str, tools: MockTools, error: type[Exception]) -> Callable[[], Coroutine[Any, Any, Any]]:
    request = urllib.request.Request(
        tools.url + urllib.parse.quote(name, safe=""),
        data=b"{}",
        headers={"authorization": f"Bearer {tools.token}", "content-type": "application/json"},
    )

    def ask() -> dict[str, Any]:
        try:
            with opener.open(request, timeout=ANSWER_SECONDS) as response:
                answer: dict[str, Any] = json.load(response)
                return answer
        except (OSError, ValueError, http.client.HTTPException):
            return {"error": f"The service did not answer the call of the mock tool {name}."}

    async def answer() -> Any:
        reply = await asyncio.to_thread(ask)
        if "error" in reply:
            raise error(reply["error"])
        return reply.get("result")

    return answer
