"""Requests to the service, and what their outcomes mean. Both clients use it; it opens no connection."""

from __future__ import annotations

import email.utils
import errno
import json
import math
import random
import re
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from .error import SvcError

TEMPORARY = (429, 502, 503, 504)
OF_PROXIES = (502, 503, 504)
LONGEST_WAIT_SECONDS = 10


class Request(NamedTuple):
    method: str
    base_url: str
    path: str
    """The path and the query, behind the base URL."""
    headers: dict[str, str]
    body: bytes | None
    is_repeatable: bool
    """Whether the service may get the request twice: it reads, or carries an idempotency key."""
    also_answers: tuple[int, ...]
    """Statuses above 299 that are answers too."""
    timeout: float
    """The seconds that the call may take, with its retries."""
    retries: int

    @property
    def url(self) -> str:
        return self.base_url + self.path

    @property
    def address(self) -> str:
        return self.url.split("?", 1)[0]


class Answer(NamedTuple):
    status: int
    headers: Any
    body: bytes


class Attempts:
    """The attempts at one request: `for pause in attempts:` waits `pause` seconds, attempts, and takes the answer or fails."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._ends_at = time.monotonic() + request.timeout
        self._error: SvcError | None = None
        self._answer: Any = None

    def __iter__(self) -> Iterator[float]:
        yield 0
        retries = self.request.retries if self.request.is_repeatable else 0
        for retry in range(retries):
            pause = None if self._error is None else pause_before(retry, self._error)
            if pause is None or pause >= self.left:
                return
            yield pause

    @property
    def left(self) -> float:
        """The seconds that are left for the next attempt."""
        return max(self._ends_at - time.monotonic(), 0.001)

    def take(self, answer: Answer) -> None:
        try:
            self._answer, self._error = read(self.request, answer), None
        except SvcError as error:
            self._error = error

    def fail(self, cause: BaseException) -> None:
        self._error = no_answer(self.request, cause)

    def result(self) -> Any:
        """Returns the last answer's JSON; None for 204. Raises the last SvcError."""
        if self._error is not None:
            raise self._error
        return self._answer


def read(request: Request, answer: Answer) -> Any:
    is_answer = 200 <= answer.status < 300 or answer.status in request.also_answers
    if answer.status == 204:
        return None
    head: dict[str, Any] = {"request_id": answer.headers.get("x-request-id"), "address": request.address}
    try:
        body = json.loads(answer.body)
        if is_answer:
            return body
        code, message = body["error"], body["message"]
    except (ValueError, TypeError, KeyError):
        text = foreign_answer(request.base_url, answer)
        raise SvcError("unexpected_answer", text, answer.status, None, retry_after(answer), **head) from None
    raise SvcError(code, message, answer.status, body.get("details"), retry_after(answer), **head)


def foreign_answer(base_url: str, answer: Answer) -> str:
    """Returns the message of an answer that does not come from the service. It repeats no text of it, which could repeat the key."""
    if 300 <= answer.status < 400:
        return (
            f"{base_url} answers with a redirect, which the client does not follow, so that no other host gets the key. "
            "Set the address to which it leads."
        )
    media_type = (answer.headers.get("content-type") or "").split(";", 1)[0]
    content = "without a body" if not answer.body else "with a web page" if media_type == "text/html" else f"with {media_type}"
    if re.fullmatch(r"with( a web page| [\w.+-]+/[\w.+-]+)|without a body", content) is None:
        content = "with an unknown content"
    what = f"HTTP {answer.status} {content}"
    if answer.status in OF_PROXIES:
        return (
            f"A proxy at {base_url} answers for the service, which it does not reach ({what}). Check that the service runs, and the "
            "address to which the proxy forwards."
        )
    return f"The answer of {base_url} does not come from the service ({what}). Check the address."


def no_answer(request: Request, cause: BaseException) -> SvcError:
    """Returns the error of a call that got no complete answer."""
    below = getattr(cause, "reason", None)
    inner = below if isinstance(below, BaseException) else cause
    error = lost(request, inner)
    error.__cause__ = inner
    return error


def lost(request: Request, cause: BaseException) -> SvcError:
    base, address = request.base_url, request.address
    if isinstance(cause, TimeoutError) or isinstance(cause, socket.timeout):
        message = f"{base} did not answer within {request.timeout:g} s. Raise `timeout`, or check the service with `svc doctor`."
        return SvcError("unreachable", message, address=address, reason="timeout", timeout_seconds=request.timeout)
    reason = reason_of(cause)
    message = f"{base} {text_of(cause)} ({reason}). {advice_for(cause)}"
    return SvcError("unreachable", message, address=address, reason=reason)


RESOLVER_CODES = {getattr(socket, name): name for name in dir(socket) if name.startswith("EAI_")}


def reason_of(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLError) and cause.reason:
        return str(cause.reason)
    code = getattr(cause, "errno", None)
    name = RESOLVER_CODES.get(code) if isinstance(cause, socket.gaierror) else errno.errorcode.get(code or 0)
    return name or type(cause).__name__


def text_of(cause: BaseException) -> str:
    if isinstance(cause, ConnectionRefusedError):
        return "refuses the connection"
    if isinstance(cause, socket.gaierror):
        return "has a host name that nothing resolves"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"has a certificate that this process does not accept: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return "does not speak TLS as the address says"
    return "did not answer"


def advice_for(cause: BaseException) -> str:
    if isinstance(cause, ConnectionRefusedError):
        return "Start the service, or correct the address and its port."
    if isinstance(cause, socket.gaierror):
        return "Correct the address, or check the network."
    if isinstance(cause, ssl.SSLCertVerificationError):
        return "Correct the name or the certificate, or set SSL_CERT_FILE to the file of the authority that signed it."
    if isinstance(cause, ssl.SSLError):
        return "Use http:// for a service without a certificate, or correct the port."
    return "Check the address, and check with `svc doctor` that the service runs."


def retry_after(answer: Answer) -> int | None:
    """Returns the seconds of `Retry-After`, which can also be a date."""
    text = answer.headers.get("retry-after") or ""
    if text.isdigit():
        return int(text)
    try:
        at = email.utils.parsedate_to_datetime(text)
        return max(0, math.ceil(at.timestamp() - time.time()))
    except (TypeError, ValueError, IndexError):
        return None


def pause_before(retry: int, error: SvcError) -> float | None:
    """Returns the seconds before the next try; None when a try would not help."""
    if error.code != "unreachable" and error.status not in TEMPORARY:
        return None
    if error.retry_after_seconds is not None:
        is_short = error.retry_after_seconds <= LONGEST_WAIT_SECONDS
        return error.retry_after_seconds * random.uniform(1, 1.1) if is_short else None
    return float(min(0.3 * 2**retry, 5)) * random.uniform(0.5, 1.5)
