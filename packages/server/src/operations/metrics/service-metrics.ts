import { statfs } from "node:fs/promises";
import { ENDING_REASON_NAMES, ENDING_REASONS } from "@svc/contract";
import { allStalls } from "../../base/async/event-loop-stalls.ts";
import type { Collected } from "./collected.ts";
import { defineDeliveries } from "./delivery-metrics.ts";
import type { Watched } from "./watched.ts";

/** Defines the metrics of the service. No label contains an id, a name or a path, so the number of time series is limited. */
export function defineServiceMetrics(metrics: Collected, watched: Watched): void {
  defineState(metrics, watched);
  defineIngest(metrics, watched);
  defineRuns(metrics, watched);
  defineCalls(metrics, watched);
  defineMonitoring(metrics, watched);
  defineDeliveries(metrics, watched);
  defineResources(metrics, watched);
}

function defineState({ gauge }: Collected, { version, readiness, stores, conditions }: Watched): void {
  gauge("svc_build_info", "The version of the service; the value is always 1.", ["version"], () => [[{ version }, 1]]);
  gauge("svc_ready", "1 while this process may receive traffic, as /ready says, else 0.", [], async () =>
    (await readiness()).reason === null ? 1 : 0,
  );
  gauge("svc_store_reachable", "1 while the store answers, else 0.", ["store"], () =>
    Promise.all(stores.map(async ({ name, reachable }) => [{ store: name }, (await reachable()) ? 1 : 0] as const)),
  );
  gauge(
    "svc_conditions",
    "Open problems of the service and its projects by their code; `svc doctor` and the log say what to do. Destinations have metrics of deliveries instead.",
    ["code"],
    () => [...Map.groupBy(conditions.list(), ({ code }) => code)].map(([code, open]) => [{ code }, open.length]),
  );
}

function defineIngest({ gauge, counter }: Collected, { traces }: Watched): void {
  const { counts, journal, readingLagMs } = traces;
  const acknowledged = (name: "bodies" | "bytes" | "spans") => () => counts.acknowledged.all().get(name) ?? 0;
  counter(
    "svc_ingest_bodies_total",
    "Bodies of spans that were acknowledged: of senders, simulations and imports.",
    [],
    acknowledged("bodies"),
  );
  counter("svc_ingest_spans_total", "Spans that were acknowledged.", [], acknowledged("spans"));
  counter("svc_ingest_bytes_total", "Bytes of acknowledged bodies as they were received.", [], acknowledged("bytes"));
  counter(
    "svc_ingest_refused_spans_total",
    "Spans that were refused in acknowledged bodies, by reason.",
    ["reason"],
    () => labelled("reason", counts.refusedSpans.all()),
  );
  gauge(
    "svc_reading_lag_seconds",
    "How late turns and measures of the longest waiting conversation are.",
    [],
    () => readingLagMs() / 1000,
  );
  gauge("svc_journal_bytes", "The size of the journal on disk; none with databases.", [], () => journal?.bytes());
  gauge("svc_journal_last_record", "The number of the last body in the journal; none with databases.", [], () =>
    journal?.lastRecord(),
  );
  gauge(
    "svc_ingest_waiting_bodies",
    "Acknowledged bodies whose spans are not stored yet; none with databases.",
    [],
    () => journal?.waitingBodies(),
  );
  gauge(
    "svc_ingest_waiting_bytes",
    "Bytes of decoded spans in memory that are not stored yet; none with databases.",
    [],
    () => journal?.waitingBytes(),
  );
}

function defineRuns({ gauge, counter }: Collected, { runs, answers }: Watched): void {
  gauge("svc_runs", "Open runs of all processes by status.", ["status"], async () =>
    (await runs.countOpenRuns()).map(({ status, count }) => [{ status }, count]),
  );
  gauge(
    "svc_simulations",
    "Simulations of open runs that have not ended, of all processes, by status.",
    ["status"],
    async () => (await runs.countOpenSimulations()).map(({ status, count }) => [{ status }, count]),
  );
  gauge("svc_simulations_playing", "Simulations that this process plays now, by kind.", ["kind"], () => {
    const { texts, calls } = runs.underWay();
    return [
      [{ kind: "text" }, texts],
      [{ kind: "call" }, calls],
    ];
  });
  gauge("svc_gradings_in_progress", "Simulations that this process grades now.", [], () => runs.underWay().gradings);
  counter(
    "svc_simulations_ended_total",
    "Simulations that this process played to their end, by the reason and the party that caused it.",
    ["reason", "by"],
    () =>
      ENDING_REASON_NAMES.map((reason) => [
        { reason, by: ENDING_REASONS[reason].by },
        runs.played.all().get(reason) ?? 0,
      ]),
  );
  counter(
    "svc_simulations_played_again_total",
    "Attempts that a stall of this process spoilt, and that are played again.",
    [],
    () => runs.played.all().get("played_again") ?? 0,
  );
  gauge("svc_answers_waiting", "Requests that wait until other large answers are sent.", [], () => answers().waiting);
  gauge("svc_answers_bytes", "Memory that answers occupy while they are made and sent.", [], () => answers().bytes);
}

function defineCalls({ gauge, counter }: Collected, { calls, callsAtOnce }: Watched): void {
  const counted = (name: "ended" | "gaps" | "lost") => () => calls.counts.all().get(name) ?? 0;
  gauge(
    "svc_calls_in_progress",
    "Calls with sound that this process carries now, of simulations and of tries.",
    [],
    () => calls.underWay().calls,
  );
  gauge(
    "svc_calls_limit",
    "The largest number of simulated calls with sound at one time: SVC_CALLS_AT_ONCE.",
    [],
    () => callsAtOnce,
  );
  gauge("svc_media_processes", "Processes that carry the sound of calls now.", [], () => calls.underWay().processes);
  counter("svc_calls_ended_total", "Calls with sound that this process carried to their end.", [], counted("ended"));
  counter(
    "svc_calls_with_gaps_total",
    "Ended calls with a gap in the service's own sound that makes their times unreliable.",
    [],
    counted("gaps"),
  );
  counter("svc_calls_lost_total", "Calls whose media process ended in the middle of them.", [], counted("lost"));
}

function defineMonitoring({ gauge, counter }: Collected, { monitoring }: Watched): void {
  counter(
    "svc_import_reads_total",
    "Reads of calls from monitored platforms, by result; a call without its analysis is read again.",
    ["result"],
    () => labelled("result", monitoring.reads.all()),
  );
  gauge("svc_import_failures", "Calls of all projects whose import needs a person.", [], monitoring.countAll);
  gauge(
    "svc_monitoring_setups",
    "Setups that fetch calls from a platform, by the state of their health.",
    ["state"],
    async () => (await monitoring.countByHealth()).map(({ state, count }) => [{ state }, count]),
  );
}

function defineResources({ gauge, counter }: Collected, { dataDir }: Watched): void {
  gauge(
    "svc_data_disk_free_bytes",
    "Bytes of the data folder's disk that the service may still write.",
    [],
    async () => {
      const { bavail, bsize } = await statfs(dataDir);
      return bavail * bsize;
    },
  );
  gauge("svc_data_disk_bytes", "The size of the data folder's disk.", [], async () => {
    const { blocks, bsize } = await statfs(dataDir);
    return blocks * bsize;
  });
  counter(
    "svc_event_loop_stalls_total",
    "Times of a quarter of a second or more in which this process did not run.",
    [],
    () => allStalls().stalls,
  );
  counter(
    "svc_event_loop_stalled_seconds_total",
    "The time of all these stalls together.",
    [],
    () => allStalls().stalledMs / 1000,
  );
}

const labelled = <Label extends string>(label: Label, counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, count]) => [{ [label]: name } as Record<Label, string>, count] as const);
