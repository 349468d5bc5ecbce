import { every } from "../../../base/async/every.ts";
import type { Log } from "../../../base/log/log.ts";
import type { DeletedConversations } from "../../../traces/erasure/deleted-conversations.ts";
import type { TraceSummaryRow } from "../../../traces/summary-row.ts";
import type { TraceReader } from "../../../traces/store/trace-store.ts";
import { nameOf, namesOf } from "../production/sampling.ts";
import type { FindSimulation } from "../store/grades.ts";
import type { DueAlert, ReviewAlerts } from "./store/alerts.ts";
import type { QueuedWithAgent } from "./store/queue.ts";

/** Largest number of conversations that one alert adds to the review queue. */
const CONVERSATIONS_MAX = 5;

type Needs = {
  traces: TraceReader;
  /** Returns whether conversations are missing because the trace store is being rebuilt. */
  isIncomplete: () => boolean;
  isDeleted: DeletedConversations["isDeleted"];
  alerts: ReviewAlerts;
  findSimulation: FindSimulation;
  log: Log;
  everyMs: number;
};

/**
 * Adds conversations of alerts to the review queue in the background. Several processes may read the same alert, but only one adds its
 * conversations.
 */
export function startQueueingAlerts({ traces, isIncomplete, isDeleted, alerts, findSimulation, log, everyMs }: Needs) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const queueing = every(everyMs, queueDue, signal, (error) =>
    log.error({ err: error }, "alerts could not be brought into review queues; the service tries again"),
  );

  async function queueDue(): Promise<void> {
    if (isIncomplete()) return;
    for (const alert of await alerts.listDue()) {
      if (signal.aborted) return;
      await queueAlert(alert).catch((error: unknown) =>
        log.error(
          { err: error, alert: alert.id },
          "an alert could not be brought into the review queue; the service tries again",
        ),
      );
    }
  }

  async function queueAlert(alert: DueAlert): Promise<void> {
    const traceIds = await alerts.listRaising(alert, CONVERSATIONS_MAX);
    const { rows } = await traces.list({
      project: alert.project_number,
      limit: CONVERSATIONS_MAX,
      sort: { by: "startedAt", descending: true },
      after: undefined,
      filters: { traceIds },
    });
    const conversations: QueuedWithAgent[] = [];
    for (const row of rows) conversations.push(await conversationOf(alert.project_id, row));
    const deletedNames = new Map(rows.map((row) => [nameOf(row), namesForErasure(row)]));
    await alerts.queue(alert, conversations, ({ name }) => isDeleted(alert.project_number, deletedNames.get(name)!));
  }

  async function conversationOf(projectId: string, row: TraceSummaryRow): Promise<QueuedWithAgent> {
    const { source, traceId, agent, startedNs } = row;
    const name = nameOf(row);
    const simulation = source === "simulation" ? await findSimulation(projectId, name) : undefined;
    return {
      source,
      name,
      names: namesOf(row),
      traceId,
      runId: simulation?.run_id ?? null,
      startedAt: new Date(Number(startedNs / 1_000_000n)).toISOString(),
      agent,
    };
  }

  return {
    /** Stops the work. The next start continues with the remaining alerts. */
    async close(): Promise<void> {
      stopping.abort();
      await queueing.idle();
    },
  };
}

const namesForErasure = ({ traceIds, conversation }: TraceSummaryRow) => ({
  traceIds,
  names: conversation === null ? [] : [conversation],
});
