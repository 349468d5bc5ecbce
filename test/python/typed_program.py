"""Type checkers read this program, and nothing runs it: each wrong line has a comment, which a checker reports when the line is right."""

from __future__ import annotations

from svc_voice import Client, SvcError, assert_passed, follow_run, pages, play_run


def names_of_tests(client: Client) -> list[str]:
    created = client.tests.create(name="Books a room", scenario="s", expected_behaviors=["says /hello/i"])
    client.tests.create(name="Books a room", scenari="s", expected_behaviors=[])  # type: ignore[call-arg]
    return [created["name"], *(test["name"] for test in pages(client.tests.list, limit=200))]


def tries(client: Client) -> str:
    tried = client.connections.try_(agentId="agt_x", connectionId="con_x")
    return tried["result"]


def plays(client: Client) -> int:
    played = play_run(client, suite="Booking", agent="Front desk")
    assert_passed(played)
    grades = [event for event in follow_run(client, played.run["id"]) if event["kind"] == "grade"]
    return len(grades) + int(played.run["nothing"])  # type: ignore[typeddict-item]


def code_of(error: SvcError) -> tuple[str, int]:
    return error.code, error.statu  # type: ignore[attr-defined]
