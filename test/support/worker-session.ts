import { initializeLogger, telemetry } from "@livekit/agents";
import { type MonitorCounters, monitor_platform_b } from "@svc/worker-helper";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { type SessionTruth, textCall, voiceCall } from "./worker-clinic.ts";

// A worker's process: the real session under the helper, told what to do by its arguments, and by its parent between turns.

export type WorkerReport = {
  truth: SessionTruth;
  counters: MonitorCounters;
  /** Spans that the worker's own provider got: trace id and span id. */
  othersSpans: string[];
  shutdownMs: number;
  mostMemoryBytes: number;
};

const asked = new Set(process.argv.slice(2));
initializeLogger({ pretty: false, level: "silent" });

const others = new InMemorySpanExporter();
if (asked.has("existing")) {
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(others)] });
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
  const word = nextWord();
  process.send!({ turn });
  await word;
};
const truth = asked.has("voice") ? await voiceCall() : await textCall(betweenTurns);

const start = Date.now();
await Promise.allSettled(callbacks.map((callback) => callback()));
const report: WorkerReport = {
  truth,
  counters: monitor.counters(),
  othersSpans: others.getFinishedSpans().map((span) => `${span.spanContext().traceId}/${span.spanContext().spanId}`),
  shutdownMs: Date.now() - start,
  mostMemoryBytes: process.memoryUsage().rss,
};
process.send!({ report }, () => process.exit(0));
