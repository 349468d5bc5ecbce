import { createHash } from "node:crypto";
import { type MonitorCounters, newCounters } from "./counters.ts";
import { startDelivery } from "./delivery.ts";
import { encodeSpan } from "./encode.ts";
import { checkedJob, identityOf, type WorkerJob } from "./identity.ts";
import { answerFromMocks } from "./mocked-tools.ts";
import { oneTrace } from "./one-trace.ts";
import { postTo } from "./post.ts";
import { installProvider } from "./provider.ts";
import { type MonitorOptions, readSettings, refusal } from "./settings.ts";
import { endOfJob } from "./shutdown.ts";

export type { MonitorCounters, MonitorOptions, WorkerJob };

/** A worker's monitoring, as `monitor_platform_b` answers it. */
export type Monitor = {
  /** What became of the spans so far: a copy, cheap enough to ask for at any time. */
  counters(): MonitorCounters;
  /**
   * Sends what is held now, instead of after a while. Resolves to true when all of it was settled (taken or refused)
   * within `timeoutMs`, else to false, and what is left stays held. Never rejects. The end of the job does this by itself.
   */
  flush(timeoutMs?: number): Promise<boolean>;
};

type Installed = { settings: string; monitor: Monitor };

// On the process, so that a second copy of this package finds it too.
const INSTALLED = Symbol.for("svc.worker-helper");
const home = globalThis as { [INSTALLED]?: Installed };

/**
 * Sends the spans of a `@livekit/agents` job to the service, as one conversation named by the job's id.
 *
 * Call it first in `entry`, before the agent session starts: a session that has begun keeps the tracer that it began
 * with. The environment holds `SVC_URL` and a project-scoped `SVC_API_KEY`; `options` go before it.
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
 * - Spans are sent each second, or when 256 are held, as OTLP/HTTP protobuf, gzip, one request at a time; more rarely, up
 *   to 15 s apart, as less of the service's limit of requests is left (`SVC_RATE_LIMIT_PER_MINUTE` there). When the
 *   service does not answer, or answers 408, 425, 429 or 5xx, they are held and tried again after 0.5 to 15 s, or after
 *   the `Retry-After` that it gave, up to 60 s. At most 8192 spans or 16 MiB are held; then the oldest are dropped.
 * - The end of the job waits for the last spans, at most `shutdownTimeoutMs`.
 * - A tracer provider that was set before, for the framework or for the process, keeps getting all of its spans. Set it
 *   before this call; one that is set afterwards takes the spans away. Spans of its own, outside the framework, stay its own.
 * - Content of the conversation is sent, also by versions that withhold it by default. `LIVEKIT_TELEMETRY_ALLOW_PII=0`
 *   (1.8 and later) withholds it, and so does redaction in the platform's project.
 * - Of the `OTEL_*` settings only `OTEL_SERVICE_NAME` is read, so that another vendor's cannot silence, cut or redirect.
 * - In a process that `svc runs start --agent-command` started, the spans join the conversation of the simulation that
 *   `SVC_SIMULATION_ID` names, and the tools that it mocks (`SVC_SIMULATION_TOOLS`) are answered by the service instead of
 *   being run; a tool that is not mocked runs as it is, and is reported so.
 * - A second call with the same job and settings answers the same monitor.
 *
 * @param ctx - the `JobContext` that `entry` is given.
 * @returns counters and a flush, for those who want them.
 * @throws Error at set-up only, with the mend: a setting that is missing or malformed, plain http to another host, a
 *   version of `@livekit/agents` before 1.6 or a second copy of it, a second call with another job or other settings.
 *   Once it has returned, nothing of it throws into the call. No message holds the key.
 */
export function monitor_platform_b(ctx: WorkerJob, options: MonitorOptions = {}): Monitor {
  const { job } = checkedJob(ctx);
  const settings = readSettings(options);
  const asked = createHash("sha256")
    .update(JSON.stringify([job.id, settings]))
    .digest("hex");
  if (home[INSTALLED] !== undefined) {
    if (home[INSTALLED].settings === asked) return home[INSTALLED].monitor;
    throw refusal(
      "this process is monitored already, for another job or with other settings: call it once, in entry(ctx).",
    );
  }

  const counters = newCounters();
  const warn = (problem: string) => console.warn(`[svc] ${problem}`);
  const delivery = startDelivery({ post: postTo(settings.tracesUrl, settings.apiKey), counters, warn });
  const resource = identityOf(ctx, settings);
  const trace = oneTrace();
  const flushOthers = installProvider(settings.serviceName, {
    onStart: trace.started,
    onEnd(span) {
      counters.recorded += 1;
      try {
        delivery.add(encodeSpan(span, resource, trace.placeOf(span)));
      } catch (error) {
        counters.dropped += 1;
        counters.lastProblem = `A span cannot be encoded: ${String(error)}`;
      }
    },
  });
  if (settings.mockedTools !== undefined) answerFromMocks(settings.mockedTools);
  const timeoutMs = settings.shutdownTimeoutMs;
  ctx.addShutdownCallback(() => endOfJob({ delivery, flushOthers, counters, warn, timeoutMs }));
  const monitor: Monitor = {
    counters: () => ({ ...counters }),
    flush: (timeoutMs = 10_000) => delivery.flush(timeoutMs),
  };
  home[INSTALLED] = { settings: asked, monitor };
  return monitor;
}
