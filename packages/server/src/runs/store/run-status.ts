import type { Db } from "../../stores/relational.ts";
import { isOpen, isUnderWay } from "./columns.ts";
import { appendEvent } from "./events.ts";

export async function startRun(tx: Db, runId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("runs")
    .set({ status: "running", started_at: new Date().toISOString() })
    .where("id", "=", runId)
    .where("status", "=", "pending")
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await appendEvent(tx, runId, { kind: "run", status: "running" });
}

/** Completes the run when all its simulations have ended. */
export async function completeRun(tx: Db, runId: string, now: string): Promise<void> {
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

/** Counts the run's claimed and running simulations across all processes. */
export async function countUnderWay(tx: Db, runId: string): Promise<number> {
  const { count } = await tx
    .selectFrom("simulations")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("run_id", "=", runId)
    .where(isUnderWay)
    .executeTakeFirstOrThrow();
  return count;
}
