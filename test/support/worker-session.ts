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

// A worker's process: the real session under the helper. Its arguments and, between turns, its parent control it.

export type WorkerReport = {
  truth: SessionTruth;
  counters: MonitorCounters;
  /** Ids of the framework's spans that the worker's own provider received: trace id and span id. */
  othersSpans: string[];
  /** Keys of those spans and of their resource. */
  othersKeys: string[];
  shutdownMs: number;
  mostMemoryBytes: number;
};

const asked = new Set(process.argv.slice(2));
initializeLogger({ pretty: false, level: "silent" });

const others = new InMemorySpanExporter();
const existing = asked.has("existing");
if (existing) {
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(others)],
    ...(asked.has("unsampled") && { sampler: new AlwaysOffSampler() }),
  });
  provider.register();
  if (asked.has("for-framework")) telemetry.setTracerProvider(provider);
}

const callbacks: (() => Promise<void>)[] = [];
const ctx = {
  job: { id: process.env.JOB_ID ?? "AJ_test", agentName: "clinic", room: { name: "call-42", sid: "RM_test" } },
  addShutdownCallback: (callback: () => Promise<void>) => void callbacks.push(callback),
};
const monitor = monitor_platform_b(ctx, { shutdownTimeoutMs: Number(process.env.SHUTDOWN_MS ?? 10_000) });

const nextWord = () => new Promise<void>((resolve) => process.once("message", () => resolve()));
const betweenTurns = async (turn: number) => {
  if (!asked.has("paced")) return;
  if (turn === 1) await monitor.flush();
  if (turn === 2) await until("a request that failed", () => monitor.counters().retries > 0);
  const word = nextWord();
  process.send!({ turn, counters: monitor.counters() });
  await word;
};
const call = () => (asked.has("voice") ? voiceCall() : textCall(betweenTurns));
// A worker's own provider often has an open span around the call, which the service never receives.
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
