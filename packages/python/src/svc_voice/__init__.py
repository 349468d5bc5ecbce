"""Client of svc, which tests and monitors voice agents, and the set-up of LiveKit Agents workers."""

from .client import AsyncClient, Client, async_pages, pages
from .error import SvcError
from .livekit import monitor_platform_b
from .runs import PlayedRun, RunNotPassed, assert_passed, failure_text, follow_run, play_run

__all__ = [
    "AsyncClient",
    "Client",
    "PlayedRun",
    "RunNotPassed",
    "SvcError",
    "assert_passed",
    "async_pages",
    "failure_text",
    "follow_run",
    "monitor_platform_b",
    "pages",
    "play_run",
]
