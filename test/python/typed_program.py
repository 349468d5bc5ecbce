"""Type checkers read this program, and nothing runs it: each wrong line has a comment, which a checker reports when the line is right."""

from __future__ import annotations

from svc_voice import AsyncClient, Client, SvcError, assert_passed, async_pages, follow_run, pages, play_run


def names_of_tests(client: Client) -> list[str]:
    created = client.tests.create(name="Books a room", scenario="s", expected_behaviors=["says /hello/i"])
    client.tests.create(name="Books a room", scenari="s", expected_behaviors=[])  # type: ignore[call-arg]
    return [created["name"], *(test["name"] for test in pages(client.tests.list, limit=200))]


async def names_of_agents(client: AsyncClient) -> list[str]:
    await client.tests.create(name="Books a room", scenari="s", expected_behaviors=[])  # type: ignore[call-arg]
    created = await client.tests.create(name="Books a room", scenario="s", expected_behaviors=["says /hello/i"])
    tried = await client.connections.try_(agentId="agt_x", connectionId="con_x")
    pages(client.agents.list)  # type: ignore[arg-type]
    return [created["name"], tried["result"], *[agent["name"] async for agent in async_pages(client.agents.list)]]


def tries(client: Client) -> str:
    tried = client.connections.try_(agentId="agt_x", connectionId="con_x")
    return tried["result"]


def plays(client: Client) -> int:
    played = play_run(client, suite="Booking", agent="Front desk")
    assert_passed(played)
    grades = [event for event in follow_run(client, played.run["id"]) if event["kind"] == "grade"]
    return len(grades) + int(played.run["nothing"])  # type: ignore[typeddict-item]


def code_of(error: SvcError) -> tuple[str, int]:
    assert error.timeout_seconds is None or error.reason == "timeout"
    return error.code, error.statu  # type: ignore[attr-defined]
