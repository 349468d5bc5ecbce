import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import type { WaitingRead } from "../trace-store.ts";
import { watch } from "./reads.ts";

/** Goal of a wait: the key of the trace's conversation, and the number of the change that the derived conversation must include. */
type Goal = { key: string; change: number };

const WAITS_MAX = 10_000;

/**
 * When a wait begins, its spans are already stored. The first check records the number of the conversation's latest change. The
 * wait ends when the derived conversation includes that change.
 */
export function createReadingWaits(db: Db, wake: () => void) {
  const goals = new Map<string, Goal>();

  async function isRead({ project, traceId, lsn }: WaitingRead): Promise<boolean> {
    const { rows } = await sql<{ key: string; change: number; read_change: number | null }>`
      SELECT c.key, c.change, c.read_change FROM traces t JOIN conversations c ON c.project = t.project AND c.key = t.key
      WHERE t.project = ${project} AND t.trace_id = ${traceId}`.execute(db);
    const row = rows[0];
    if (row === undefined) return true; // the trace has no spans
    const wait = `${lsn} ${project} ${traceId}`;
    let goal = goals.get(wait);
    if (goal === undefined || goal.key !== row.key) {
      goal = { key: row.key, change: row.change };
      goals.set(wait, goal);
      if (goals.size > WAITS_MAX) goals.delete(goals.keys().next().value!);
    }
    if ((row.read_change ?? 0) >= goal.change) {
      goals.delete(wait);
      return true;
    }
    await watch(db, project, traceId, wake);
    return false;
  }

  return (reads: readonly WaitingRead[]): Promise<boolean[]> => Promise.all(reads.map(isRead));
}
