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

/** The monitoring of one job, which `monitor_platform_b` returns. */
export type Monitor = {
  /** Returns a copy of the current counters. The call is cheap. */
  counters(): MonitorCounters;
  /**
   * Sends all waiting spans now. Resolves to true if each was delivered, refused or dropped within `timeoutMs`
   * milliseconds (default 10000). Resolves to false otherwise, and the spans that are left keep waiting. Never rejects. The end
   * of the job flushes without this call.
   */
  flush(timeoutMs?: number): Promise<boolean>;
};

type Installation = { settingsHash: string; monitor: Monitor };

// A property of the process, so that a second copy of this package finds the installation too.
const INSTALLATION = Symbol.for("svc.worker-helper");
const shared = globalThis as { [INSTALLATION]?: Installation };

/**
 * Sends the spans of a `@livekit/agents` job (1.6 or newer) to the service as one conversation, whose id is the job's id.
 *
 * Call it first in `entry`, before the agent session starts: a running session keeps the tracer with which it started.
 * Set `SVC_URL` and a project-scoped `SVC_API_KEY` in the environment, or pass `options`, which take precedence.
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
 * - **Requests.** The helper sends spans to `{SVC_URL}/v1/traces` as OTLP/HTTP protobuf with gzip, one request at a time:
 *   each second, or as soon as 256 spans or 4 MiB wait. The interval grows to 15 s as less of the service's request limit is
 *   left (`SVC_RATE_LIMIT_PER_MINUTE` of the service).
 * - **Failures.** If the service does not answer, or answers 408, 425, 429 or 5xx, the helper keeps the spans and repeats the
 *   request after 0.5 to 15 s, or after the answer's `Retry-After`, at most 60 s. It keeps at most 8192 spans or 16 MiB and
 *   then drops the oldest. After 401 or 403 it stops, and gives up the waiting and all later spans.
 * - **End of the job.** The job waits for the last spans, at most `shutdownTimeoutMs`.
 * - **Other tracer providers.** A provider that was set before this call, for the framework or for the process, still gets
 *   all its spans. A provider that is set after this call takes the framework's spans away. The service does not get
 *   spans that the provider makes outside the framework.
 * - **Content.** The spans contain the conversation's text, also in versions that withhold it by default. To withhold it, set
 *   `LIVEKIT_TELEMETRY_ALLOW_PII=0` (1.8 or newer), or redact it in the platform's project.
 * - **Speech-to-speech.** The framework writes no words of the user into its spans when one model hears and speaks. The helper
 *   listens to the session and adds these words as spans, `svc.user_transcript`, and each answer that was interrupted as
 *   `svc.speech_interrupted`. Only the service gets these spans.
 * - **OpenTelemetry variables.** The helper reads only `OTEL_SERVICE_NAME` (default `livekit-agents`) of the `OTEL_*`
 *   variables, so that settings for another vendor have no effect on it.
 * - **Simulations.** `svc runs start --agent-command` sets `SVC_SIMULATION_ID`, `SVC_SIMULATION_ATTEMPT` and
 *   `SVC_SIMULATION_TOOLS` in the processes that it starts. A simulation in a room writes the same facts into the metadata of
 *   the dispatch, under the name `svc`. There, the spans join the simulation's conversation, and the
 *   service answers the tools that the test or the project mocks. A tool without a mock runs as usual.
 * - **Log.** The helper writes each problem once with `console.warn`, at most 20 different ones, and at the end of the job the
 *   number of spans that were not delivered.
 *
 * @param ctx - the `JobContext` that `entry` receives.
 * @param options - settings in code, which take precedence over the environment.
 * @returns the counters and a flush. A second call with the same job and settings returns the same monitor.
 * @throws Error with the remedy, during this call only: for a missing or malformed setting, plain http to another host,
 *   `@livekit/agents` older than 1.6 or a second copy of it, and a second call with another job or other settings. After this
 *   call, the helper never throws into the job. No message contains the API key.
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
