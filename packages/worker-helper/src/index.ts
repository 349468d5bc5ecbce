import { createHash } from "node:crypto";
import { createCounters, type MonitorCounters } from "./counters.ts";
import { createDelivery } from "./delivery.ts";
import { encodeSpan } from "./encode.ts";
import { checkJob, resourceOf, type WorkerJob } from "./identity.ts";
import { installMockTools } from "./mock-tools.ts";
import { createPost } from "./post.ts";
import { installProvider } from "./provider.ts";
import { sendSessionEvents } from "./session-events.ts";
import { type MonitorOptions, readSettings, refusal } from "./settings.ts";
import { finishJob } from "./shutdown.ts";
import { createTraceMerger } from "./trace-merger.ts";

export type { MonitorCounters, MonitorOptions, WorkerJob };

/** Monitoring of one job, which `monitor_platform_b` returns. */
export type Monitor = {
  /** Returns a copy of the current counters, without I/O. */
  counters(): MonitorCounters;
  /**
   * Sends all waiting spans now. Resolves to true when no span waits any more, within `timeoutMs` milliseconds (default 10000).
   * Otherwise resolves to false, and the remaining spans are sent later. Never rejects. The helper also flushes at the end of the
   * job, without this call.
   */
  flush(timeoutMs?: number): Promise<boolean>;
};

type Installation = { settingsHash: string; monitor: Monitor };

// The installation is stored as a global property under this key, so that a second copy of this package also finds it.
const INSTALLATION = Symbol.for("svc.worker-helper");
const shared = globalThis as { [INSTALLATION]?: Installation };

/**
 * Sends the spans of a `@livekit/agents` job (1.6 or newer) to the service as one conversation. The id of the conversation is the
 * job's id.
 *
 * Call it first in `entry`, before the agent session starts, because a session uses the tracer that was set at its start. Set
 * `SVC_URL` and a project-scoped `SVC_API_KEY` in the environment, or pass `options`, which take precedence.
 *
 * ```ts
 * export default defineAgent({
 *   entry: async (ctx) => {
 *     monitor_platform_b(ctx);
 *     const session = new voice.AgentSession({ … });
 *     await session.start({ agent, room: ctx.room });
 *   },
 * });
 * ```
 *
 * - **Requests.** The helper sends spans to `{SVC_URL}/v1/traces` as OTLP/HTTP protobuf with gzip, one request at a time. It sends
 *   each second, or as soon as 256 spans or 4 MiB wait. As the service's request limit (`SVC_RATE_LIMIT_PER_MINUTE`) runs out, the
 *   interval grows up to 15 s.
 * - **Failures.** When the service does not answer, or answers 408, 425, 429 or 5xx, the helper sends the spans again. The pause
 *   before it grows from 0.5 s to about 15 s; a `Retry-After` of the answer replaces the pause, up to 60 s. The helper stores at most
 *   8192 spans or 16 MiB, and then drops the oldest spans. After 401 or 403 it stops, and drops the waiting and all later spans.
 * - **End of the job.** The job waits for the last spans, at most `shutdownTimeoutMs`.
 * - **Other tracer providers.** A provider that was set before this call, for the framework or for the process, still gets all its
 *   spans. A provider that is set after this call replaces the helper's provider, so the service gets no further spans. The service
 *   never gets spans that another provider creates outside the framework.
 * - **Content.** The spans contain the conversation's text, even in versions that withhold it by default. To withhold it, set
 *   `LIVEKIT_TELEMETRY_ALLOW_PII=0` (1.8 or newer), or redact it in the platform's project.
 * - **Speech-to-speech.** When one model hears and speaks, the framework writes no words of the user into its spans. The helper adds
 *   spans with these words (`svc.user_transcript`), and a span for each interrupted answer (`svc.speech_interrupted`). Only the
 *   service gets these spans.
 * - **OpenTelemetry variables.** Of the `OTEL_*` variables, the helper reads only `OTEL_SERVICE_NAME` (default `livekit-agents`).
 *   So settings for another vendor do not affect it.
 * - **Simulations.** `svc runs start --agent-command` sets `SVC_SIMULATION_ID`, `SVC_SIMULATION_ATTEMPT` and
 *   `SVC_SIMULATION_TOOLS` in the processes that it starts. For a simulation in a room, the service writes the same facts into the
 *   metadata of the dispatch, under the name `svc`. In both cases, the spans become part of the simulation's conversation, and the
 *   service answers the calls of tools that the test or the project mocks. A tool without a mock runs as usual.
 * - **Log.** The helper writes each problem once with `console.warn`, at most 20 different problems. At the end of the job it writes
 *   the number of spans that were not delivered.
 *
 * @param ctx - the `JobContext` that `entry` receives.
 * @param options - settings in code, which take precedence over the environment.
 * @returns the counters and a flush. A second call with the same job and settings returns the same monitor.
 * @throws Error with the remedy: for a missing or malformed setting, plain http to another host, `@livekit/agents` older than 1.6, a
 *   second copy of `@livekit/agents`, and a second call with another job or other settings. Only this call throws; afterwards the
 *   helper never throws into the job. No message contains the API key.
 */
export function monitor_platform_b(ctx: WorkerJob, options: MonitorOptions = {}): Monitor {
  const { job } = checkJob(ctx);
  const settings = readSettings(options, process.env, job.metadata);
  const settingsHash = createHash("sha256")
    .update(JSON.stringify([job.id, settings]))
    .digest("hex");
  const existing = shared[INSTALLATION];
  if (existing !== undefined) {
    if (existing.settingsHash === settingsHash) return existing.monitor;
    throw refusal(
      "this process is monitored already, for another job or with other settings: call it once, in entry(ctx).",
    );
  }

  const counters = createCounters();
  const warn = (problem: string) => console.warn(`[svc] ${problem}`);
  const delivery = createDelivery({ post: createPost(settings.tracesUrl, settings.apiKey), counters, warn });
  const resource = resourceOf(ctx, settings);
  const trace = createTraceMerger();
  const { flushOthers, ownTracer } = installProvider(settings.serviceName, {
    onStart: trace.onStart,
    onEnd(span) {
      counters.recorded += 1;
      try {
        delivery.add(encodeSpan(span, resource, trace.locationOf(span)));
      } catch (error) {
        counters.dropped += 1;
        counters.lastProblem = `A span cannot be encoded: ${String(error)}`;
      }
    },
  });
  sendSessionEvents(ownTracer, (problem) => {
    counters.lastProblem = `An event of the session was not sent: ${String(problem)}`;
  });
  if (settings.mockTools !== undefined) installMockTools(settings.mockTools);
  const timeoutMs = settings.shutdownTimeoutMs;
  ctx.addShutdownCallback(() => finishJob({ delivery, flushOthers, counters, warn, timeoutMs }));
  const monitor: Monitor = {
    counters: () => ({ ...counters }),
    flush: (timeoutMs = 10_000) => delivery.flush(timeoutMs),
  };
  shared[INSTALLATION] = { settingsHash, monitor };
  return monitor;
}
