from __future__ import annotations

from typing import Any


class SvcError(Exception):
    """The error of a call that the service refused or did not answer.

    `code` is stable: match on it and never on the message. Besides the codes of the service it can be `unreachable` (no answer
    arrived) or `unexpected_answer` (the answer does not come from the service, but from a proxy or another server). `__cause__` is the
    error below it.
    """

    code: str
    status: int
    """HTTP status; 0 when no answer arrived."""
    details: dict[str, Any]
    """Details of the error, by code; empty without any."""
    retry_after_seconds: int | None
    """Number of seconds to wait before a retry; None when the answer does not state it."""
    request_id: str | None
    """The answer's `X-Request-Id`, under which the service's log has the request."""
    address: str | None
    """The address of the call, without its query."""
    reason: str | None
    """Why no answer arrived: `timeout`, or the system's code, such as `ECONNREFUSED` or `CERTIFICATE_VERIFY_FAILED`."""
    timeout_seconds: float | None
    """The time limit that the call exceeded; None after any other failure."""

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 0,
        details: dict[str, Any] | None = None,
        retry_after_seconds: int | None = None,
        *,
        request_id: str | None = None,
        address: str | None = None,
        reason: str | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details or {}
        self.retry_after_seconds = retry_after_seconds
        self.request_id = request_id
        self.address = address
        self.reason = reason
        self.timeout_seconds = timeout_seconds

    @property
    def is_temporary(self) -> bool:
        """Whether the same request can succeed later."""
        return self.code in ("unreachable", "too_many_requests") or self.status == 502 or self.status >= 503
