import { LIMITS } from "@svc/contract";
import { every } from "../base/async/every.ts";
import { inParallel } from "../base/async/in-parallel.ts";
import type { Log } from "../base/log/log.ts";
import type { ReadFailedProduction } from "../grading/graders/production/failed-production.ts";
import type { ReadFailedSimulation } from "../runs/after/failed-simulation.ts";
import { failuresOf } from "./failure-rules.ts";
import type { DueRow, DueStore, GroupedProject } from "./store/due.ts";
import type { GroupingStore, ReadFailures } from "./store/grouping.ts";

/** Intervals of the grouping. Only specs change them. */
export type GroupingPace = {
  everyMs: number;
  /**
   * Length of a process's lease on conversations in milliseconds. Must be longer than the time to read one batch, because the lease is not
   * renewed.
   */
  leaseMs: number;
};

const PACE: GroupingPace = { everyMs: 1_000, leaseMs: 60_000 };
const CONVERSATIONS_AT_ONCE = 50;
const READS_AT_ONCE = 4;

type Needs = {
  due: DueStore;
  grouping: GroupingStore;
  readSimulation: ReadFailedSimulation;
  readProduction: ReadFailedProduction;
  /** Whether conversations are missing because the trace store is being rebuilt. */
  isIncomplete: () => boolean;
  log: Log;
  pace?: Partial<GroupingPace> | undefined;
};

/**
 * Groups the failures of due conversations in the background. One transaction groups a conversation and removes it from the due ones. A
 * process that is killed therefore neither loses a failure nor counts a failure twice.
 */
export function startGrouping({ due, grouping, readSimulation, readProduction, isIncomplete, log, pace = {} }: Needs) {
  const { everyMs, leaseMs } = { ...PACE, ...pace };
  const stopping = new AbortController();
  const { signal } = stopping;
  const looking = every(everyMs, groupDue, signal, (error) =>
    log.error({ err: error }, "failures could not be grouped; the service tries again"),
  );

  async function groupDue(): Promise<void> {
    while (!signal.aborted && !isIncomplete()) {
      const leased = await due.lease(CONVERSATIONS_AT_ONCE, leaseMs, Date.now());
      if (leased === undefined) return;
      const read: ReadFailures[] = [];
      await inParallel(leased.due, READS_AT_ONCE, async (row) => {
        const failures = await readFailures(leased.project, row).catch(async (error: unknown) => {
          log.error(
            { err: error, conversation: row.conversation },
            "a failure could not be grouped; the service tries again",
          );
          await due.postpone(row, Date.now());
        });
        if (failures !== undefined) read.push(failures);
      });
      // A conversation stays due when it changed after it was read, or could not be read.
      if ((await grouping.replace(leased.project.id, read)) < leased.due.length) return;
    }
  }

  async function readFailures(project: GroupedProject, row: DueRow): Promise<ReadFailures> {
    const conversation =
      row.source === "simulation"
        ? await readSimulation(project.id, row.conversation)
        : await readProduction(project, row.trace_id);
    if (conversation === null) return { due: row, read: null };
    return { due: row, read: { conversation, failures: failuresOf(conversation, LIMITS.failuresOfConversation) } };
  }

  return {
    /** The next start of the service continues with the due conversations. */
    async close(): Promise<void> {
      stopping.abort();
      await looking.idle();
    },
  };
}
