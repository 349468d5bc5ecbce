"""Lets svc answer the tools for which a simulation has a mock."""

import asyncio
import contextlib
import json
import os
import urllib.request

from livekit.agents import Agent, mock_tools
from livekit.agents.llm import ToolError

_mocks = contextlib.ExitStack()  # stays open until the process ends


def answer_from_mocks() -> None:
    """Installs the mocks of a simulation. Call it before the session starts. Does nothing outside a simulation."""
    if "SVC_SIMULATION_TOOLS" not in os.environ:
        return
    tools = json.loads(os.environ["SVC_SIMULATION_TOOLS"])
    mocks = {name: mock(name, tools["token"]) for name in tools["names"]}
    for agent in classes_of(Agent):
        _mocks.enter_context(mock_tools(agent, mocks))


def classes_of(agent: type[Agent]) -> list[type[Agent]]:
    return [agent, *(one for child in agent.__subclasses__() for one in classes_of(child))]


def mock(name: str, token: str):
    simulation = f"{os.environ['SVC_URL'].rstrip('/')}/v1/simulations/{os.environ['SVC_SIMULATION_ID']}"
    request = urllib.request.Request(
        f"{simulation}/tools/{urllib.request.quote(name, safe='')}",
        data=b"{}",
        headers={"authorization": f"Bearer {token}", "content-type": "application/json"},
    )

    def ask() -> dict:
        with urllib.request.urlopen(request, timeout=45) as response:
            return json.load(response)

    async def answer():
        reply = await asyncio.to_thread(ask)
        if "error" in reply:
            raise ToolError(reply["error"])
        return reply.get("result")

    return answer
