import { type EndingReason, LIMITS, type RunStatus, type SimulationStatus } from "@svc/contract";
import { sql } from "kysely";
import type { Db } from "../../stores/relational.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import { isOpen, SUMMARY } from "./columns.ts";
import { appendEvent, type NewEvent, simulationEvent } from "./events.ts";
import type { Lease } from "./leases.ts";
import { recordRunDone } from "./outcome-events.ts";
import { completeRun, countUnderWay, startRun } from "./run-status.ts";
import type { WriteRun } from "./writing.ts";

type SimulationEnding = {
  status: "completed" | "failed";
  endingReason: EndingReason;
  message: string | null;
  transcript: string;
  turnCount: number;
  traceId: string;
};

/**
 * Functions that change the status of simulations from queued to ended, and functions that list and count simulations. Each
 * change of status happens once, and only for the current attempt of a simulation.
 */
export type SimulationQueue = {
  /** Oldest first. */
  listOpenRuns: () => Promise<RunRow[]>;
  /** In the order in which the simulations start. */
  listQueued: (runId: string) => Promise<string[]>;
  listOpenRunIds: (agentId: string) => Promise<string[]>;
  /**
   * Leases up to `count` queued simulations of a run. Respects the run's concurrency across all processes. Claims interrupted
   * simulations last: a simulation that crashes the service must not interrupt the other simulations repeatedly.
   */
  claim: (run: RunRow, count: number) => Promise<SimulationRow[]>;
  /** Returns false when this attempt is no longer current. */
  begin: (simulation: SimulationRow) => Promise<boolean>;
  /** Appends events if this attempt is still running, so that no event follows the ending. */
  recordEvents: (simulation: SimulationRow, events: NewEvent[]) => Promise<void>;
  /**
   * Ends a simulation and leases the simulation, so that this process grades it. Completes the run when no other simulation is open.
   * Returns false when this attempt is no longer running.
   */
  finish: (simulation: SimulationRow, ending: SimulationEnding, events: NewEvent[]) => Promise<boolean>;
  /**
   * Requeues a running simulation after a stall of the service, and appends an event with the reason `why`. Does nothing when this
   * attempt is no longer running.
   */
  playAgain: (simulation: SimulationRow, why: string, events: NewEvent[]) => Promise<void>;
  markSpansWritten: (id: string) => Promise<void>;
  /** Stores a note about rejected spans on an ended simulation. `traceId` is null when the trace store rejected all spans. */
  recordRejectedSpans: (id: string, said: { message: string; traceId: string | null }) => Promise<void>;
  countOpenRuns: () => Promise<{ status: RunStatus; count: number }[]>;
  countOpenSimulations: () => Promise<{ status: SimulationStatus; count: number }[]>;
  /** Returns the ending reasons of those simulations of the run that ended last, latest first. */
  listLastEndings: (runId: string, count: number) => Promise<EndingReason[]>;
  /** Does nothing when the run has ended. */
  cancel: (runId: string, reason: NonNullable<RunRow["stop_reason"]>) => Promise<void>;
};

export function createSimulationQueue(db: Db, write: WriteRun, { untilMs }: Lease): SimulationQueue {
  return {
    listOpenRuns: () => db.selectFrom("runs").selectAll().where(isOpen).orderBy("id").execute(),

    async countOpenRuns() {
      const rows = await db
        .selectFrom("runs")
        .select(["status", sql<number>`count(*)`.as("count")])
        .where(isOpen)
        .groupBy("status")
        .execute();
      return rows.map(counted);
    },

    async countOpenSimulations() {
      const rows = await db
        .selectFrom("simulations")
        .select(["status", sql<number>`count(*)`.as("count")])
        .where("run_id", "in", db.selectFrom("runs").select("id").where(isOpen))
        .where("status", "in", ["queued", "claimed", "running"])
        .groupBy("status")
        .execute();
      return rows.map(counted);
    },

    listQueued: (runId) => nextQueued(db, runId, LIMITS.runSimulations),

    async listOpenRunIds(agentId) {
      const rows = await db.selectFrom("runs").select("id").where("agent_id", "=", agentId).where(isOpen).execute();
      return rows.map(({ id }) => id);
    },

    claim: (run, count) =>
      write({ run_id: run.id, project_id: run.project_id }, async (tx) => {
        const room = Math.min(count, run.concurrency - (await countUnderWay(tx, run.id)));
        if (room <= 0) return [];
        const claimed = await tx
          .updateTable("simulations")
          .set((eb) => ({ status: "claimed", attempt: eb("attempt", "+", 1), leased_until_ms: untilMs }))
          .where("id", "in", await nextQueued(tx, run.id, room))
          .returningAll()
          .execute();
        if (claimed.length > 0 && run.status === "pending") await startRun(tx, run.id);
        return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
      }),

    begin: (simulation) =>
      write(simulation, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable("simulations")
          .set({ status: "running", started_at: new Date().toISOString() })
          .where("id", "=", simulation.id)
          .where("status", "=", "claimed")
          .where("attempt", "=", simulation.attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await appendEvent(tx, simulation.run_id, simulationEvent({ ...simulation, status: "running" }));
        return true;
      }),

    recordEvents: (simulation, events) =>
      write(simulation, async (tx) => {
        const held = tx
          .selectFrom("simulations")
          .select("id")
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt);
        if (!(await held.executeTakeFirst())) return;
        for (const event of events) await appendEvent(tx, simulation.run_id, event);
      }),

    finish: (simulation, ending, events) =>
      write(simulation, async (tx) => {
        const now = new Date().toISOString();
        const { numUpdatedRows } = await tx
          .updateTable("simulations")
          .set({
            status: ending.status,
            ending_reason: ending.endingReason,
            message: ending.message,
            transcript: ending.transcript,
            turn_count: ending.turnCount,
            trace_id: ending.traceId,
            ended_at: now,
            leased_until_ms: untilMs,
          })
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const { run_id: runId } = simulation;
        for (const event of events) await appendEvent(tx, runId, event);
        const { status, endingReason: ending_reason, message } = ending;
        const ended = { ...simulation, status, ending_reason, message };
        await appendEvent(tx, runId, simulationEvent(ended));
        await completeRun(tx, runId, now);
        return true;
      }),

    playAgain: (simulation, why, events) =>
      write(simulation, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable("simulations")
          .set((eb) => ({ status: "queued", stalled_attempts: eb("stalled_attempts", "+", 1) }))
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        for (const event of events) await appendEvent(tx, simulation.run_id, event);
        await appendEvent(tx, simulation.run_id, simulationEvent({ ...simulation, status: "queued", message: why }));
      }),

    async markSpansWritten(id) {
      await db.updateTable("simulations").set({ spans_written: 1 }).where("id", "=", id).execute();
    },

    async recordRejectedSpans(id, { message, traceId }) {
      await db.updateTable("simulations").set({ message, trace_id: traceId }).where("id", "=", id).execute();
    },

    async listLastEndings(runId, count) {
      const rows = await db
        .selectFrom("simulations")
        .select("ending_reason")
        .where("run_id", "=", runId)
        .where("status", "in", ["completed", "failed"])
        .orderBy("ended_at", "desc")
        .limit(count)
        .execute();
      return rows.map((row) => row.ending_reason!);
    },

    async cancel(runId, reason) {
      const { project_id } = await db
        .selectFrom("runs")
        .select("project_id")
        .where("id", "=", runId)
        .executeTakeFirstOrThrow();
      await write({ run_id: runId, project_id }, async (tx) => {
        const now = new Date().toISOString();
        const { numUpdatedRows } = await tx
          .updateTable("runs")
          .set({ status: "canceled", stop_reason: reason, ended_at: now })
          .where("id", "=", runId)
          .where(isOpen)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        const canceled = await tx
          .updateTable("simulations")
          .set({ status: "canceled", ending_reason: "canceled", grading: "settled", spans_written: 1, ended_at: now })
          .where("run_id", "=", runId)
          .where("status", "in", ["queued", "claimed", "running"])
          .returning(SUMMARY)
          .execute();
        for (const row of canceled) await appendEvent(tx, runId, simulationEvent(row));
        await appendEvent(tx, runId, { kind: "run", status: "canceled" });
        await recordRunDone(tx, runId);
      });
    },
  };
}

/** Returns ids of queued simulations, new simulations first. The query for new simulations is separate, so that it can use an index. */
async function nextQueued(tx: Db, runId: string, count: number): Promise<string[]> {
  const queued = tx.selectFrom("simulations").select("id").where("run_id", "=", runId).where("status", "=", "queued");
  const fresh = await queued.where("attempt", "=", 0).orderBy("id").limit(count).execute();
  const left = count - fresh.length;
  const interrupted =
    left > 0 ? await queued.where("attempt", ">", 0).orderBy("attempt").orderBy("id").limit(left).execute() : [];
  return [...fresh, ...interrupted].map(({ id }) => id);
}

/** Converts a count to a number, because PostgreSQL returns it as a string. */
const counted = <Status>({ status, count }: { status: Status; count: number }) => ({ status, count: Number(count) });
