"""The monitoring of a worker on LiveKit Agents."""

from __future__ import annotations

import asyncio
import inspect
import os
from typing import Any

from .export_session import export_session
from .mock_tools import install_mock_tools
from .session_events import send_session_events
from .settings import Settings, read_settings

EXPORT_SECONDS = 90
"""Time limit of an export with all its retries: longer than a window of the service's rate limit."""
EXPORT_INTERVAL_MS = 5_000
SPANS_PER_EXPORT = 128
"""Long conversations make large spans."""


def monitor_platform_b(
    ctx: Any,
    *,
    url: str | None = None,
    api_key: str | None = None,
    agent_name: str | None = None,
    agent_version: str | None = None,
    allow_insecure: bool = False,
) -> None:
    """Sends the spans of a `livekit-agents` job (1.3 or newer) to the service as one conversation, whose id is the job's id.

    Call it first in the entrypoint, before the agent session starts. Set `SVC_URL` and a project-scoped `SVC_API_KEY` in the
    environment, or pass the arguments, which take precedence. It needs the extra `livekit` of this package.

    - It exports every 5 seconds, and tries each export for up to 90 seconds, so that a used-up rate limit of the service loses no
      spans. At the end of the job it sends the remaining spans: give the framework's process 100 seconds for it
      (`AgentServer(shutdown_process_timeout=100)`).
    - `agent_version`, or `SVC_AGENT_VERSION` in the environment, is the version of the agent in the conversations.
    - A key that the service does not know or that ends within ten days, a redirect and a wrong address are warnings of the logger
      `svc_voice`, once each. Redirects are not followed.
    - A tracer provider that was set before this call gets the exporter too, and keeps its own.
    - A session with a speech-to-speech model writes no words of the user into its spans. The helper listens to the session's events
      and adds these words as spans, `svc.user_transcript`.
    - In a process of `svc runs start --agent-command`, and in a room into which a simulation dispatched the job, the spans join the simulation's conversation, and the service answers the
      tools that the test or the project mocks. A tool without a mock runs as usual.

    Raises ValueError for a missing or malformed setting, with the remedy. No message contains the key.
    """
    settings = read_settings(url, api_key, allow_insecure, getattr(ctx.job, "metadata", None))
    provider = tracer_provider(settings)
    register(provider, ctx, settings, agent_name, agent_version)
    send_session_events(provider.get_tracer("svc-voice"))
    if settings.mock_tools is not None:
        install_mock_tools(settings.mock_tools)

    async def flush() -> None:
        await asyncio.to_thread(provider.force_flush, EXPORT_SECONDS * 1000)

    ctx.add_shutdown_callback(flush)


def tracer_provider(settings: Settings) -> Any:
    """Returns the tracer provider of the process, or a new one, with an exporter to the service."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(
        endpoint=settings.traces_url,
        headers={"authorization": f"Bearer {settings.api_key}"},
        compression=Compression.Gzip,
        timeout=EXPORT_SECONDS,
        session=export_session(),
    )
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider(resource=Resource.create({"service.name": settings.service_name}))
    provider.add_span_processor(
        BatchSpanProcessor(
            exporter, schedule_delay_millis=EXPORT_INTERVAL_MS, max_export_batch_size=SPANS_PER_EXPORT
        )
    )
    return provider


def register(
    provider: Any, ctx: Any, settings: Settings, agent_name: str | None, agent_version: str | None = None
) -> None:
    """Makes the framework use the provider, with the names of the conversation and the agent on each span."""
    from livekit.agents import telemetry

    identity = {
        "svc.session_id": settings.simulation_id or ctx.job.id,
        "svc.simulation_id": settings.simulation_id,
        "svc.simulation_attempt": settings.simulation_attempt,
        "svc.agent_name": agent_name or ctx.job.agent_name,
        "svc.agent_version": agent_version or os.environ.get("SVC_AGENT_VERSION", "").strip(),
        "svc.room_name": ctx.job.room.name,
    }
    options: dict[str, Any] = {"metadata": {key: value for key, value in identity.items() if value}}
    decides = os.environ.get("LIVEKIT_TELEMETRY_ALLOW_PII", "").strip() != ""
    if not decides and "allow_pii" in inspect.signature(telemetry.set_tracer_provider).parameters:
        options["allow_pii"] = True  # Newer versions withhold the text of the conversation by default.
    telemetry.set_tracer_provider(provider, **options)
