"""The events of a session on LiveKit Agents that the framework does not write into its spans."""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Callable

PAUSE_SECONDS = 1.0
"""Within such a pause, the user goes on with the same turn."""
LONGEST_WAIT_SECONDS = 10.0
"""A model that gives no words for a noise leaves a period without words."""
MOST_PERIODS = 100

logger = logging.getLogger("svc_voice")


class SpeechTimes:
    """The periods of a session in which the user spoke, whose words arrive later, in order. Times are seconds since 1970."""

    def __init__(self) -> None:
        self.periods: list[list[float | None]] = []

    def changed(self, is_speaking: bool, at: float) -> None:
        """Notes that the user began or ended to speak."""
        last = self.periods[-1] if self.periods else None
        if not is_speaking:
            if last is not None and last[1] is None:
                last[1] = at
        elif last is not None and last[1] is not None and at - last[1] < PAUSE_SECONDS:
            last[1] = None
        elif last is None or last[1] is not None:
            self.periods = [*self.periods, [at, None]][-MOST_PERIODS:]

    def take(self, at: float, started: float | None = None) -> tuple[float, float]:
        """Returns the period of words that arrived, and forgets it. Without a known period, the words have no length.

        `started` is the start that the model states.
        """
        periods = [(start or 0.0, at if end is None else end) for start, end in self.periods]
        if started is not None and started <= at:
            index = next((index for index, (_, end) in enumerate(periods) if end >= started), len(periods))
            end = max(started, min(periods[index][1], at)) if index < len(periods) else started
            self.periods = self.periods[index + 1 :]
            return started, end
        index = next((index for index, (_, end) in enumerate(periods) if at - end <= LONGEST_WAIT_SECONDS), len(periods))
        self.periods = self.periods[index + 1 :]
        if index == len(periods):
            return at, at
        start, end = periods[index]
        return min(start, at), min(end, at)


def send_session_events(tracer: Any) -> None:
    """Sends the words that a speech-to-speech model recognised in any session of this process, with their times.

    A failure never reaches the session. The framework's own spans state interruptions and usage.
    """
    from livekit.agents import AgentSession

    start = AgentSession.start

    @functools.wraps(start)
    async def started(session: Any, *args: Any, **options: Any) -> Any:
        safely(listen)(session, tracer)
        return await start(session, *args, **options)

    AgentSession.start = started


def listen(session: Any, tracer: Any) -> None:
    if getattr(session, "_svc_listens", False):
        return
    session._svc_listens = True
    times = SpeechTimes()
    awaited: dict[str, Any] = {}
    parent: dict[str, Any] = {"context": None}

    def changed(event: Any) -> None:
        if event.new_state == "speaking":
            times.changed(True, event.created_at)
        elif event.old_state == "speaking":
            times.changed(False, event.created_at)

    def added(event: Any) -> None:
        if getattr(event.item, "id", None) in awaited:
            awaited[event.item.id] = event.item

    def transcribed(event: Any) -> None:
        # Only a speech-to-speech model names the item. A recogniser's words are in the framework's own spans.
        item_id = getattr(event, "item_id", None)
        if not event.is_final or not item_id or not event.transcript.strip():
            return
        parent["context"] = getattr(session, "_root_span_context", None) or parent["context"]
        awaited[item_id] = None
        # The framework adds the message, with the time that the model states, before any other task runs.
        asyncio.get_running_loop().call_soon(safely(send), event, item_id)

    def send(event: Any, item_id: str) -> None:
        item = awaited.pop(item_id, None)
        metrics = getattr(item, "metrics", None) or {}
        confidence = getattr(item, "transcript_confidence", None)
        begin, end = times.take(event.created_at, metrics.get("started_speaking_at"))
        attributes = {
            "svc.item_id": item_id,
            "svc.transcribed_at": event.created_at,
            "svc.pii.user_transcript": event.transcript,
        }
        if confidence is not None and confidence < 1:  # The framework writes 1 when the model states no confidence.
            attributes["svc.transcript_confidence"] = confidence
        span = tracer.start_span(
            "svc.user_transcript", context=parent["context"], start_time=int(begin * 1e9), attributes=attributes
        )
        span.end(int(end * 1e9))

    session.on("user_state_changed", safely(changed))
    session.on("conversation_item_added", safely(added))
    session.on("user_input_transcribed", safely(transcribed))


def safely(listener: Callable[..., None]) -> Callable[..., None]:
    # The framework counts the parameters of a listener, and `wraps` keeps their number.
    @functools.wraps(listener)
    def run(*args: Any) -> None:
        try:
            listener(*args)
        except Exception as error:
            logger.warning("An event of the session was not sent: %s", error)

    return run
