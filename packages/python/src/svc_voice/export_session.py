"""The connection of OpenTelemetry's exporter to the service."""

from __future__ import annotations

import logging
import math
from typing import Any, Mapping
from urllib.parse import urlsplit

KEY_NOTICE_DAYS = 10
SECONDS_PER_DAY = 86_400

_logger = logging.getLogger("svc_voice")


def export_session() -> Any:
    """Returns a session of `requests` for the exporter. It follows no redirect, and warns once of each problem that a person can solve."""
    import requests

    class ExportSession(requests.Session):
        def __init__(self) -> None:
            super().__init__()
            self.warned: set[str] = set()

        def send(self, request: Any, **options: Any) -> Any:
            response = super().send(request, **{**options, "allow_redirects": False})
            address = urlsplit(request.url)
            problem = problem_of(response.status_code, response.headers, f"{address.scheme}://{address.netloc}")
            if problem is not None and problem not in self.warned:
                self.warned.add(problem)
                _logger.warning("[svc] %s", problem)
            return response

    return ExportSession()


def problem_of(status: int, headers: Mapping[str, str], origin: str) -> str | None:
    """Returns what an answer to an export says that a person has to do; None when there is nothing, or only a time to wait."""
    if status == 401:
        return f"{origin} does not know the key, and takes no spans: set SVC_API_KEY to a key that is valid there."
    if status == 403:
        return "The key may not send spans: set SVC_API_KEY to a project-scoped key with the permission ingest."
    if 300 <= status < 400:
        return (
            f"{origin} redirects (HTTP {status}), and spans are not sent to another address: set SVC_URL to the final address."
        )
    if status < 300 and "html" in headers.get("content-type", ""):
        return f"{origin} answers spans with a web page: set SVC_URL to the service's API address."
    if 400 <= status < 500 and status not in (408, 413, 425, 429):
        return f"{origin} refuses the spans (HTTP {status}): check that SVC_URL is the service's API address."
    try:
        seconds = float(headers.get("svc-key-expires-in", "nan"))
    except ValueError:
        return None
    if not 0 <= seconds < KEY_NOTICE_DAYS * SECONDS_PER_DAY:
        return None
    days = max(1, math.ceil(seconds / SECONDS_PER_DAY))
    return f"The key for {origin} expires in {'a day' if days == 1 else f'{days} days'}: create another one, and set SVC_API_KEY to it."
