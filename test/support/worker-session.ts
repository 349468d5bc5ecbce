import { trace } from "@opentelemetry/api";
import { initializeLogger, telemetry } from "@livekit/agents";
import { type MonitorCounters, monitor_platform_b } from "@svc/worker-helper";
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { until } from "./until.ts";
import { type SessionTruth, textCall, voiceCall } from "./worker-clinic.ts";
import { realtimeCall } from "./worker-realtime.ts";

// The process of a worker: a real session with the helper. Its arguments are the modes; its parent process continues the
// call between turns in the mode `paced`.

export type WorkerReport = {
  truth: SessionTruth;
  counters: MonitorCounters;
  /** The framework's spans that the worker's own tracer provider received, as `trace id/span id`. */
  othersSpans: string[];
  /** The attribute keys of those spans and of their resource. */
  othersKeys: string[];
  shutdownMs: number;
  mostMemoryBytes: number;
};

const modes = new Set(process.argv.slice(2));
initializeLogger({ pretty: false, level: "silent" });

const others = new InMemorySpanExporter();
const existing = modes.has("existing");
if (existing) {
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(others)],
    ...(modes.has("unsampled") && { sampler: new AlwaysOffSampler() }),
  });
  provider.register();
  if (modes.has("for-framework")) telemetry.setTracerProvider(provider);
}

const callbacks: (() => Promise<void>)[] = [];
const ctx = {
  job: { id: process.env.JOB_ID ?? "AJ_test", agentName: "clinic", room: { name: "call-42", sid: "RM_test" } },
  addShutdownCallback: (callback: () => Promise<void>) => void callbacks.push(callback),
};
const monitor = monitor_platform_b(ctx, { shutdownTimeoutMs: Number(process.env.SHUTDOWN_MS ?? 10_000) });

const nextMessage = () => new Promise<void>((resolve) => process.once("message", () => resolve()));
const betweenTurns = async (turn: number) => {
  if (!modes.has("paced")) return;
  if (turn === 1) await monitor.flush();
  if (turn === 2) await until("a request that failed", () => monitor.counters().retries > 0);
  const message = nextMessage();
  process.send!({ turn, counters: monitor.counters() });
  await message;
};
const call = () => {
  if (modes.has("realtime")) return realtimeCall();
  return modes.has("voice") ? voiceCall() : textCall(betweenTurns);
};
// A worker's own provider often has an open span around the call. The service never gets that span.
const inSpan = () => trace.getTracer("worker").startActiveSpan("job", (span) => call().finally(() => span.end()));
const truth = await (existing ? inSpan() : call());

const start = Date.now();
await Promise.allSettled(callbacks.map((callback) => callback()));
const theirs = others
  .getFinishedSpans()
  .filter(({ instrumentationScope }) => instrumentationScope.name === "livekit-agents");
const report: WorkerReport = {
  truth,
  counters: monitor.counters(),
  othersKeys: [...new Set(theirs.flatMap((span) => Object.keys({ ...span.attributes, ...span.resource.attributes })))],
  othersSpans: theirs.map((span) => `${span.spanContext().traceId}/${span.spanContext().spanId}`),
  shutdownMs: Date.now() - start,
  mostMemoryBytes: process.memoryUsage().rss,
};
process.send!({ report }, () => process.exit(0));
