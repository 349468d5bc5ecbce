import type { EndingReason } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import { isOpen, SUMMARY } from "./columns.ts";
import { appendEvent, type NewEvent, simulationEvent } from "./events.ts";
import type { Writing } from "./writing.ts";

/** How a simulation ended, as it is kept. */
type Ended = {
  status: "completed" | "failed" | "canceled";
  endingReason: EndingReason;
  message: string | null;
  transcript: string;
  turnCount: number;
  traceId: string;
};

/** How often the service may stop in the middle of a simulation before it is given up. */
const INTERRUPTIONS_MAX = 10;

const orphaned = (attempts: number, now: string) =>
  ({
    status: "failed",
    ending_reason: "orphaned",
    message: `The service stopped ${attempts} times in the middle of it.`,
    ended_at: now,
    spans_written: 1,
  }) as const;

/** How simulations are claimed, played, ended, put back and canceled, each step once. */
export function openPlaying(db: Db, writing: Writing) {
  return {
    openRuns: () => db.selectFrom("runs").selectAll().where(isOpen).orderBy("id").execute(),

    /**
     * Takes up to `count` queued simulations of a run; nobody else is handed the same ones. Those that were interrupted come
     * last, so that one that stops the service does not take the others with it again and again.
     */
    async claim(run: RunRow, count: number): Promise<SimulationRow[]> {
      return writing(run.id, async (tx) => {
        const claimed = await tx
          .updateTable("simulations")
          .set((eb) => ({ status: "claimed", attempt: eb("attempt", "+", 1) }))
          .where("id", "in", await nextQueued(tx, run.id, count))
          .returningAll()
          .execute();
        if (claimed.length > 0 && run.status === "pending") {
          const started_at = new Date().toISOString();
          const { numUpdatedRows } = await tx
            .updateTable("runs")
            .set({ status: "running", started_at })
            .where("id", "=", run.id)
            .where("status", "=", "pending")
            .executeTakeFirst();
          if (numUpdatedRows > 0n) await appendEvent(tx, run.id, { kind: "run", status: "running" });
        }
        return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
      });
    },

    /** False when the simulation is no longer this attempt's. */
    async begin(simulation: SimulationRow): Promise<boolean> {
      return writing(simulation.run_id, async (tx) => {
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
      });
    },

    /** Keeps what happens in a simulation while it is this attempt's, so that nothing follows its end. */
    async record(simulation: SimulationRow, events: NewEvent[]): Promise<void> {
      await writing(simulation.run_id, async (tx) => {
        const held = tx
          .selectFrom("simulations")
          .select("id")
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt);
        if (!(await held.executeTakeFirst())) return;
        for (const event of events) await appendEvent(tx, simulation.run_id, event);
      });
    },

    /** Ends a simulation, once; the run too, when it was the last. False when this attempt no longer holds it. */
    async finish(simulation: SimulationRow, ended: Ended, events: NewEvent[]): Promise<boolean> {
      return writing(simulation.run_id, async (tx) => {
        const now = new Date().toISOString();
        const settled = ended.status === "canceled";
        const { numUpdatedRows } = await tx
          .updateTable("simulations")
          .set({
            status: ended.status,
            ending_reason: ended.endingReason,
            message: ended.message,
            transcript: ended.transcript,
            turn_count: ended.turnCount,
            trace_id: ended.traceId,
            ended_at: now,
            ...(settled && { grading: "settled" }),
          })
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const { run_id: runId } = simulation;
        for (const event of events) await appendEvent(tx, runId, event);
        const ending = { status: ended.status, ending_reason: ended.endingReason };
        await appendEvent(tx, runId, simulationEvent({ ...simulation, ...ending }));
        await completeRun(tx, runId, now);
        return true;
      });
    },

    spansWritten: (id: string) =>
      db.updateTable("simulations").set({ spans_written: 1 }).where("id", "=", id).execute(),

    /** Puts back what stands as under way and is not among those that are played. */
    async putBack(played: readonly string[]): Promise<void> {
      const now = new Date().toISOString();
      const underWay = (runId: string, tx: Db) =>
        tx
          .selectFrom("simulations")
          .select(SUMMARY)
          .where("run_id", "=", runId)
          .where("status", "in", ["claimed", "running"])
          .execute();
      for (const { id: runId } of await db.selectFrom("runs").select("id").where(isOpen).execute()) {
        await writing(runId, async (tx) => {
          for (const row of await underWay(runId, tx)) {
            if (played.includes(row.id)) continue;
            const left = row.attempt > INTERRUPTIONS_MAX ? orphaned(row.attempt, now) : ({ status: "queued" } as const);
            await tx.updateTable("simulations").set(left).where("id", "=", row.id).execute();
            if (left.status === "failed") await appendEvent(tx, runId, simulationEvent({ ...row, ...left }));
          }
          await completeRun(tx, runId, now);
        });
      }
    },

    /** Why the run's last simulations ended, the latest first. */
    async lastEndings(runId: string, count: number): Promise<EndingReason[]> {
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

    /** Cancels what has not ended; a run that has ended stays as it is. */
    async cancel(runId: string, reason: NonNullable<RunRow["stop_reason"]>): Promise<void> {
      await writing(runId, async (tx) => {
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
      });
    },

    openRunsOfAgent: (agentId: string) =>
      db.selectFrom("runs").select("id").where("agent_id", "=", agentId).where(isOpen).execute(),
  };
}

/** Ids of queued simulations, the interrupted ones last; there are few of those, and an index finds the others. */
async function nextQueued(tx: Db, runId: string, count: number): Promise<string[]> {
  const queued = tx.selectFrom("simulations").select("id").where("run_id", "=", runId).where("status", "=", "queued");
  const fresh = await queued.where("attempt", "=", 0).orderBy("id").limit(count).execute();
  const left = count - fresh.length;
  const interrupted =
    left > 0 ? await queued.where("attempt", ">", 0).orderBy("attempt").orderBy("id").limit(left).execute() : [];
  return [...fresh, ...interrupted].map(({ id }) => id);
}

/** The run has ended with its last simulation. */
async function completeRun(tx: Db, runId: string, now: string): Promise<void> {
  const left = await tx
    .selectFrom("simulations")
    .select("id")
    .where("run_id", "=", runId)
    .where("status", "in", ["queued", "claimed", "running"])
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  const { numUpdatedRows } = await tx
    .updateTable("runs")
    .set({ status: "completed", ended_at: now })
    .where("id", "=", runId)
    .where(isOpen)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await appendEvent(tx, runId, { kind: "run", status: "completed" });
}
