"""The settings of a monitored worker and of a client, from the arguments and the environment."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

KEY = re.compile(r"svc_sk_[A-Za-z0-9_-]{43}")


class MockTools(NamedTuple):
    """The mock tools of a simulation. A call is a POST to `url` and the name, with the token."""

    names: list[str]
    token: str
    url: str


class Settings(NamedTuple):
    traces_url: str
    api_key: str
    service_name: str
    simulation_id: str | None
    simulation_attempt: str | None
    mock_tools: MockTools | None


def read_settings(url: str | None, api_key: str | None, allow_insecure: bool, dispatch_metadata: str | None = None) -> Settings:
    """Returns the settings. Raises ValueError for a missing or malformed one; no message repeats a value."""
    traces_url = traces_url_of(url or setting("SVC_URL"), allow_insecure)
    simulation_id = setting("SVC_SIMULATION_ID")
    attempt = setting("SVC_SIMULATION_ATTEMPT")
    mock_tools = mock_tools_of(setting("SVC_SIMULATION_TOOLS"), traces_url, simulation_id)
    if simulation_id is None:
        simulation_id, attempt, mock_tools = dispatched_simulation(dispatch_metadata, traces_url)
    return Settings(
        traces_url=traces_url,
        api_key=checked_key(api_key or setting("SVC_API_KEY")),
        service_name=setting("OTEL_SERVICE_NAME") or "livekit-agents",
        simulation_id=simulation_id,
        simulation_attempt=attempt,
        mock_tools=mock_tools,
    )


def dispatched_simulation(metadata: str | None, traces_url: str) -> tuple[str | None, str | None, MockTools | None]:
    """Returns the simulation, its attempt and its mock tools, which the service writes into the metadata of a job's dispatch.

    All other metadata belongs to the customer, and the result is empty. Never raises.
    """
    try:
        svc = json.loads(metadata or "{}")["svc"]
        simulation_id = svc["simulationId"]
        if re.fullmatch(r"sim_[0-9a-z]{1,100}", simulation_id) is None:
            return None, None, None
        tools = svc["tools"]
        mock_tools = MockTools([str(name) for name in tools["names"]], str(tools["token"]), tools_url_of(simulation_id, traces_url))
        return simulation_id, str(svc["attempt"]), mock_tools
    except (ValueError, TypeError, KeyError):
        return None, None, None


def tools_url_of(simulation_id: str, traces_url: str) -> str:
    return f"{traces_url[: -len('traces')]}simulations/{simulation_id}/tools/"


def setting(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def refusal(message: str) -> ValueError:
    return ValueError(f"monitor_platform_b: {message}")


def checked_key(key: str | None) -> str:
    if key is None:
        raise refusal("SVC_API_KEY is not set: set it to a project-scoped key of the service with the permission ingest, svc_sk_….")
    if KEY.fullmatch(key) is None:
        raise refusal("SVC_API_KEY is not a complete key: a key is svc_sk_ and 43 characters. Copy it again.")
    return key


def traces_url_of(text: str | None, allow_insecure: bool) -> str:
    if text is None:
        raise refusal("SVC_URL is not set: set it to the service's address, such as https://svc.example.com.")
    url = urlsplit(text.strip())
    if url.scheme not in ("http", "https") or not url.hostname:
        raise refusal("SVC_URL is not an http address: set the complete address, such as https://svc.example.com.")
    if url.username or url.password or url.query or url.fragment:
        raise refusal("SVC_URL must be the address only: remove the user, password, query or fragment.")
    path = url.path.rstrip("/")
    if path.endswith("/v1/traces"):
        raise refusal("SVC_URL must be the service's address: remove /v1/traces.")
    if url.scheme == "http" and not allow_insecure and not is_loopback(url.hostname):
        raise refusal(
            "SVC_URL is plain http to another host, and others on the network could read the key: use https, or set "
            "allow_insecure=True in a private network."
        )
    return f"{url.scheme}://{url.netloc}{path}/v1/traces"


def client_url(argument: str | None) -> str:
    """Returns the address of the service for a client. Raises ValueError when it is missing or malformed."""
    name, text = ("SVC_URL", setting("SVC_URL")) if argument is None else ("the url", argument.strip())
    if not text:
        raise ValueError("there is no address of the service: set SVC_URL, or pass url, such as http://127.0.0.1:3100")
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError(f"{name} is not an http address: set the complete address of the service, such as http://127.0.0.1:3100")
    if url.username or url.password or url.query or url.fragment:
        raise ValueError(f"{name} must be the service's address only: remove the user, password, query or fragment")
    return text.rstrip("/")


def client_key(argument: str | bool | None) -> str | None:
    """Returns the key for a client; None for False. Raises ValueError when it is missing or malformed. No message repeats it."""
    if argument is False:
        return None
    name, key = ("SVC_API_KEY", setting("SVC_API_KEY")) if argument is None else ("the api_key", argument)
    if not key:
        raise ValueError(
            "there is no API key: set SVC_API_KEY, or pass api_key. For operations that need no key, pass api_key=False"
        )
    if not isinstance(key, str) or KEY.fullmatch(key) is None:
        raise ValueError(f"{name} is not a complete key: a key is svc_sk_ and 43 characters. Copy it again")
    return key


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def mock_tools_of(text: str | None, traces_url: str, simulation_id: str | None) -> MockTools | None:
    if text is None or simulation_id is None:
        return None
    url = tools_url_of(simulation_id, traces_url)
    try:
        tools = json.loads(text)
        return MockTools([str(name) for name in tools["names"]], str(tools["token"]), url)
    except (ValueError, TypeError, KeyError) as cause:
        message = "SVC_SIMULATION_TOOLS does not come from `svc runs start --agent-command`: unset it."
        raise refusal(message) from cause
