"""Sends the spans of a livekit-agents worker to svc with OpenTelemetry's OTLP exporter."""

import asyncio
import inspect
import os

from livekit.agents import JobContext, telemetry
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def monitor(ctx: JobContext) -> None:
    """Starts monitoring. Call it first in the entrypoint, before the session starts. Needs SVC_URL and SVC_API_KEY."""
    exporter = OTLPSpanExporter(
        endpoint=os.environ["SVC_URL"].rstrip("/") + "/v1/traces",
        headers={"authorization": f"Bearer {os.environ['SVC_API_KEY']}"},
        compression=Compression.Gzip,
        timeout=90,  # seconds with all retries: longer than a window of the service's rate limit
    )
    # One export every 5 s: svc's docs/ingest.md says how many calls a limit takes. Small batches, because long conversations
    # make large spans.
    processor = BatchSpanProcessor(exporter, schedule_delay_millis=5000, max_export_batch_size=128)

    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):  # an existing provider gets the exporter too
        provider = TracerProvider(resource=Resource.create({"service.name": "livekit-agents"}))
    provider.add_span_processor(processor)

    simulation = os.environ.get("SVC_SIMULATION_ID")  # set by `svc runs start --agent-command`
    identity = {
        "svc.session_id": simulation or ctx.job.id,
        "svc.simulation_id": simulation,
        "svc.simulation_attempt": os.environ.get("SVC_SIMULATION_ATTEMPT"),
        "svc.agent_name": ctx.job.agent_name,
        "svc.room_name": ctx.job.room.name,
    }
    options = {"metadata": {key: value for key, value in identity.items() if value}}
    if "allow_pii" in inspect.signature(telemetry.set_tracer_provider).parameters:
        options["allow_pii"] = True  # newer versions withhold the text of the conversation by default
    telemetry.set_tracer_provider(provider, **options)

    async def flush() -> None:
        await asyncio.to_thread(provider.force_flush, 90_000)

    ctx.add_shutdown_callback(flush)
