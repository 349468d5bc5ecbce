/** Instructions for the developer of a worker: what to add to the worker, so that it sends its conversations to the service. */
export type WorkerLines = {
  label: string;
  /** Names of packages. A folder that depends on one of them contains a worker of this framework. */
  packages: readonly string[];
  /** Commands that install further packages; null when the worker needs none. */
  install: string | null;
  /** Lines to add to the worker's code; null when environment variables are enough. */
  code: string | null;
  /** Environment variables with the address of the service: `SVC_…` (`svc`), or the variables of OpenTelemetry (`otlp`). */
  variables: "svc" | "otlp";
};

/** Frameworks whose workers send their conversations themselves, from the most specific to the most general. */
export const WORKER_FRAMEWORKS: Record<
  "livekit_python" | "livekit_javascript" | "pipecat",
  WorkerLines & { install: string; code: string }
> &
  Record<"otlp", WorkerLines> = {
  livekit_python: {
    label: "LiveKit Agents in Python",
    packages: ["livekit-agents"],
    install: `python3 packages/python/build_wheel.py dist
pip install "$(ls dist/svc_voice-*.whl)[livekit]"`,
    code: `from svc_voice import monitor_platform_b

monitor_platform_b(ctx)`,
    variables: "svc",
  },
  livekit_javascript: {
    label: "LiveKit Agents in JavaScript",
    packages: ["@livekit/agents"],
    install: `npm run build:packs
npm install dist/svc-worker-helper-*.tgz`,
    code: `import { monitor_platform_b } from "@svc/worker-helper";

monitor_platform_b(ctx);`,
    variables: "svc",
  },
  pipecat: {
    label: "Pipecat",
    packages: ["pipecat-ai"],
    install: `pip install "pipecat-ai[tracing]" opentelemetry-exporter-otlp-proto-http`,
    code: `from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from pipecat.utils.tracing.setup import setup_tracing

setup_tracing(service_name="front-desk", exporter=OTLPSpanExporter())
task = PipelineTask(pipeline, enable_tracing=True, enable_turn_tracking=True, conversation_id=call_id)`,
    variables: "otlp",
  },
  otlp: {
    label: "OpenInference, OpenTelemetry's gen_ai conventions, or any exporter of OTLP/HTTP",
    packages: [
      "openinference-instrumentation",
      "@arizeai/openinference-core",
      "opentelemetry-sdk",
      "@opentelemetry/sdk-node",
    ],
    install: null,
    code: null,
    variables: "otlp",
  },
};

/** Framework whose workers send their conversations themselves. */
export type WorkerFramework = keyof typeof WORKER_FRAMEWORKS;

/** Returns the environment variables of a worker, one per line: the address of the service, and the secret of an API key. */
export const workerVariables = (variables: WorkerLines["variables"], url: string, secret: string): string =>
  variables === "svc"
    ? `SVC_URL=${url}\nSVC_API_KEY=${secret}`
    : `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v1/traces\nOTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer ${secret}"`;
