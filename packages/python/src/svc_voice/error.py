from __future__ import annotations

from typing import Any


class SvcError(Exception):
    """The error of a call that the service refused or did not answer.

    `code` is stable: match on it and never on the message. Besides the codes of the service it can be `unreachable` (no answer
    arrived) or `unexpected_answer` (the answer does not come from the service).
    """

    code: str
    status: int
    """HTTP status; 0 when no answer arrived."""
    details: dict[str, Any]
    """Details of the error, by code; empty without any."""
    retry_after_seconds: int | None
    """Number of seconds to wait before a retry; None when the answer does not state it."""

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 0,
        details: dict[str, Any] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details or {}
        self.retry_after_seconds = retry_after_seconds

    @property
    def is_temporary(self) -> bool:
        """Whether the same request can succeed later."""
        return self.code in ("unreachable", "too_many_requests") or self.status == 502 or self.status >= 503
