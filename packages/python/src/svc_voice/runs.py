"""Runs of tests: starting them, following them, and the reasons for which they did not pass."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .client import Client, pages
from .error import SvcError

if TYPE_CHECKING:
    from .client import GradeSummary, ListedSimulation, Run, RunEvent

PAGE = 200
QUOTES_SHOWN = 3


@dataclass(frozen=True)
class PlayedRun:
    """A run that has ended with all its verdicts."""

    passed: bool
    """Whether every simulation of the run passed."""
    run: Run
    simulations: list[ListedSimulation]
    """The simulations with their grades, in the order of the plan."""


class RunNotPassed(AssertionError):
    """A run did not pass. The message names each failing behavior with its reason and the quoted turns."""


def play_run(
    client: Client,
    *,
    suite: str | None = None,
    tests: Sequence[str] | None = None,
    agent: str | None = None,
    connection: str | None = None,
    project: str | None = None,
    **options: Any,
) -> PlayedRun:
    """Plays tests against an agent, and waits until the run has ended and its verdicts are final.

    Set either `suite` or `tests`, by name or id. Without `agent` or `connection`, the project's or the agent's only one is used.
    `options` are those of `client.runs.create`, such as `iterations` and `name`. Raises ValueError when the project has no such
    suite, test, agent or connection, and SvcError when the service refuses a request. A KeyboardInterrupt cancels the run.
    """
    if (suite is None) == (not tests):
        raise ValueError("The run needs either a suite or tests. Set `suite` or `tests`.")
    if suite is not None:
        selected: dict[str, Any] = {"suiteId": id_of("suite", "ste_", suite, pages(client.suites.list, projectId=project))}
    else:
        listed = list(pages(client.tests.list, project=project, limit=PAGE))
        ids = [id_of("test", "tst_", test, listed) for test in tests or ()]
        versions = [client.tests.get(testId=one, project=project)["version_id"] for one in ids]
        selected = {"testVersions": versions}
    agent_id = id_of("agent", "agt_", agent, pages(client.agents.list, projectId=project))
    connections = pages(client.connections.list, agentId=agent_id, projectId=project)
    connection_id = id_of("connection", "con_", connection, connections)
    started: Any = client.runs.create(
        agentId=agent_id, connectionId=connection_id, projectId=project, **{**selected, **options}
    )
    if "run" not in started:
        raise ValueError("The service answered with a plan instead of a run. Leave out `dryRun`.")
    run_id = started["run"]["id"]
    try:
        for _ in follow_run(client, run_id, project=project):
            pass
    except BaseException:
        client.runs.cancel(runId=run_id, projectId=project)
        raise
    simulations = list(pages(client.runs.simulations, runId=run_id, projectId=project, grades=True, pageSize=PAGE))
    run = client.runs.get(runId=run_id, projectId=project)["run"]
    has_all = run["status"] == "completed" and run["gradingSettled"] and len(simulations) > 0
    passed = has_all and all(one["verdict"] == "passed" for one in simulations)
    return PlayedRun(passed, run, simulations[::-1])


def follow_run(
    client: Client, run_id: str, *, after: int = 0, project: str | None = None, patience_seconds: float = 120
) -> Iterator[RunEvent]:
    """Yields every event of a run once, in order, and ends when the run has ended and its grading is final.

    While the service does not answer, it tries again for at most `patience_seconds`, and continues behind the last event.
    """
    lost_at: float | None = None
    pause = 0.25
    while True:
        try:
            page = client.runs.events(runId=run_id, projectId=project, after=after, wait=20)
        except SvcError as error:
            lost_at = lost_at or time.monotonic()
            pause = max(pause, error.retry_after_seconds or 0)
            if not error.is_temporary or time.monotonic() + pause > lost_at + patience_seconds:
                raise
            time.sleep(pause)
            pause = min(pause * 2, 5)
            continue
        lost_at, pause = None, 0.25
        yield from page["events"]
        if page["done"]:
            return
        after = page["next"]


def failure_text(played: PlayedRun) -> str:
    """Returns why a run did not pass, for people; an empty text for a run that passed."""
    if played.passed:
        return ""
    others = [one for one in played.simulations if one["verdict"] != "passed"]
    count = f"{len(others)} of {len(played.simulations)} simulations did not pass"
    status = played.run["status"]
    ended = "" if status == "completed" else f", and the run is {status}"
    head = f"The run {played.run['id']} did not pass: {count}{ended}."
    return "\n\n".join([head, *(simulation_text(one) for one in others)])


def assert_passed(played: PlayedRun) -> None:
    """Raises RunNotPassed, an AssertionError, when the run did not pass."""
    if not played.passed:
        raise RunNotPassed(failure_text(played))


def simulation_text(simulation: ListedSimulation) -> str:
    verdict = words(simulation["verdict"])
    name = f"{simulation['testName']} · {simulation['personaName']} · #{simulation['iteration']} ({simulation['id']})"
    lines = [f"{name}: {verdict}"]
    message = simulation["message"]
    if message is not None:
        lines.append(f"  {message}")
    grades = [one for one in simulation.get("grades", []) if one["counts"] and one["verdict"] != "passed"]
    if message is None and not grades:
        lines.append(f"  It ended with {simulation['endingReason'] or 'no verdict'}.")
    for grade in sorted(grades, key=lambda one: one["verdict"] != "failed"):
        lines.extend(grade_lines(grade))
    return "\n".join(lines)


def grade_lines(grade: GradeSummary) -> list[str]:
    lines = [f"  {words(grade['verdict'])}: {grade['criterion']}", f"    {grade['reason']}"]
    for evidence in grade["evidence"][:QUOTES_SHOWN]:
        if evidence["toolCall"] is not None:
            lines.append(f"    tool call {evidence['toolCall']}")
            continue
        speaker = f", {evidence['speaker']}" if "speaker" in evidence else ""
        quote = "" if evidence["quote"] is None else f': "{" ".join(evidence["quote"].split())}"'
        lines.append(f"    turn {evidence['turn']}{speaker}{quote}")
    more = len(grade["evidence"]) - QUOTES_SHOWN
    return [*lines, f"    and {more} more"] if more > 0 else lines


def words(verdict: str | None) -> str:
    return "no verdict" if verdict is None else verdict.replace("_", " ")


def id_of(kind: str, prefix: str, id_or_name: str | None, resources: Iterable[Any]) -> str:
    """Returns the id of a resource by its id or name, or of the only one; refuses a name that none or several have."""
    if id_or_name is not None and id_or_name.startswith(prefix):
        return id_or_name
    listed = list(resources)
    found = [one["id"] for one in listed if id_or_name is None or one["name"] == id_or_name]
    if len(found) == 1:
        return str(found[0])
    names = ", ".join(one["name"] for one in listed[:10])
    there = f"There are: {names}." if listed else f"The project has no {kind}."
    if id_or_name is None:
        raise ValueError(f"The run needs the name of its {kind}: set `{kind}`. {there}")
    if found:
        raise ValueError(f'Several {kind}s have the name "{id_or_name}". Set the id: {", ".join(found)}.')
    raise ValueError(f'There is no {kind} "{id_or_name}". {there}')
