import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import type { WaitingRead } from "../trace-store.ts";
import { watch } from "./reads.ts";

/** The goal of a wait: the conversation that held the trace when it began, and the change to be read. */
type Goal = { key: string; change: number };

const WAITS_MAX = 10_000;

/**
 * Creates the waits for readings. The number of a wait stands for the spans that were stored when it began; the first look of each
 * wait notes them.
 */
export function createReadingWaits(db: Db, wake: () => void) {
  const goals = new Map<number, Goal>();
  let last = 0;

  async function isRead({ project, traceId, lsn }: WaitingRead): Promise<boolean> {
    const { rows } = await sql<{ key: string; change: number; read_change: number | null }>`
      SELECT c.key, c.change, c.read_change FROM traces t JOIN conversations c ON c.project = t.project AND c.key = t.key
      WHERE t.project = ${project} AND t.trace_id = ${traceId}`.execute(db);
    const row = rows[0];
    if (row === undefined) return true; // no such span is stored
    let goal = goals.get(lsn);
    if (goal === undefined || goal.key !== row.key) {
      goal = { key: row.key, change: row.change };
      goals.set(lsn, goal);
      if (goals.size > WAITS_MAX) goals.delete(goals.keys().next().value!);
    }
    if ((row.read_change ?? 0) >= goal.change) {
      goals.delete(lsn);
      return true;
    }
    await watch(db, project, traceId, wake);
    return false;
  }

  return {
    /** Returns the number of a new wait. */
    newWait: () => ++last,
    areRead: (reads: readonly WaitingRead[]) => Promise.all(reads.map(isRead)),
  };
}
