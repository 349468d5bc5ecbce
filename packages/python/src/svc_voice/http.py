"""Requests to the service, with Python's standard library."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from typing import Any, NamedTuple

from .error import SvcError

TEMPORARY = (429, 502, 503, 504)
LONGEST_WAIT_SECONDS = 10


class Request(NamedTuple):
    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None
    is_repeatable: bool
    """Whether the service may get the request twice: it reads, or carries an idempotency key."""


class Answer(NamedTuple):
    status: int
    headers: Any
    body: bytes


class WithoutRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that no other host gets the key."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


opener = urllib.request.build_opener(WithoutRedirects)


def send(request: Request, *, timeout: float, retries: int, also_answers: tuple[int, ...] = ()) -> Any:
    """Returns the answer's JSON; None for 204. Raises SvcError for every other outcome."""
    ends_at = time.monotonic() + timeout
    for retry in range(retries + 1 if request.is_repeatable else 1):
        try:
            return read(attempt(request, max(ends_at - time.monotonic(), 0.001)), also_answers)
        except SvcError as error:
            pause = pause_before(retry, error)
            is_last = not request.is_repeatable or retry == retries
            if pause is None or is_last or time.monotonic() + pause >= ends_at:
                raise
            time.sleep(pause)
    raise AssertionError("the loop returns or raises")


def attempt(request: Request, timeout: float) -> Answer:
    wire = urllib.request.Request(request.url, request.body, request.headers, method=request.method)
    try:
        try:
            with opener.open(wire, timeout=timeout) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(refusal.code, refusal.headers, refusal.read())
    except (OSError, http.client.HTTPException) as cause:
        message = "The service did not answer. Check its address, and check with `svc doctor` that it runs."
        raise SvcError("unreachable", message) from cause


def read(answer: Answer, also_answers: tuple[int, ...]) -> Any:
    is_answer = 200 <= answer.status < 300 or answer.status in also_answers
    if answer.status == 204:
        return None
    try:
        body = json.loads(answer.body)
        if is_answer:
            return body
        code, message = body["error"], body["message"]
    except (ValueError, TypeError, KeyError) as cause:
        text = f"The answer (HTTP {answer.status}) does not come from the service. Check the address."
        raise SvcError("unexpected_answer", text, answer.status, None, retry_after(answer)) from cause
    raise SvcError(code, message, answer.status, body.get("details"), retry_after(answer))


def retry_after(answer: Answer) -> int | None:
    seconds = answer.headers.get("retry-after", "")
    return int(seconds) if seconds.isdigit() else None


def pause_before(retry: int, error: SvcError) -> float | None:
    """Returns the seconds before the next try; None when a try would not help."""
    if error.code != "unreachable" and error.status not in TEMPORARY:
        return None
    if error.retry_after_seconds is not None:
        is_short = error.retry_after_seconds <= LONGEST_WAIT_SECONDS
        return error.retry_after_seconds * random.uniform(1, 1.1) if is_short else None
    return float(min(0.3 * 2**retry, 5)) * random.uniform(0.5, 1.5)
