import { type Connection, inTransaction } from "../stores/analytics.ts";
import { replaceSums } from "./loader-summary.ts";
import { tableOfDay } from "./store-days.ts";

/**
 * Drops the tables of the days before `day`, the rows of the traces that lie wholly there, and the origins that nothing
 * names any more. A trace that reaches into a kept day is summed up anew over the spans that stay.
 */
export async function dropDaysBefore(write: Connection, days: Set<number>, day: number): Promise<void> {
  const dropped = [...days].filter((table) => table < day);
  if (dropped.length === 0) return;
  const kept = [...days].filter((table) => table >= day).map((table) => ({ table: tableOfDay(table), day: table }));
  await inTransaction(write, async () => {
    for (const old of dropped) await write.run(`DROP TABLE ${tableOfDay(old)}`);
    await write.run(`DELETE FROM traces WHERE last_day < ${day}`);
    if (kept.length === 0) {
      await write.run("DELETE FROM origins");
      return;
    }
    const spans = kept.map(
      ({ table, day: received }) =>
        `SELECT s.project, s.trace_id, ${received} AS day, s.lsn, s.start_ns, s.end_ns, s.status, s.parent_span_id, s.name,
           s.conversation, s.conversation_rank, s.agent, s.received_ms, s.origin FROM ${table} s
         SEMI JOIN (FROM traces WHERE first_day < ${day}) t ON t.project = s.project AND t.trace_id = s.trace_id`,
    );
    await write.run(
      replaceSums(`SELECT s.*, o.service FROM (${spans.join(" UNION ALL ")}) s LEFT JOIN origins o ON o.id = s.origin`),
    );
    const used = kept.map(({ table }) => `SELECT origin FROM ${table}`);
    await write.run(`DELETE FROM origins WHERE id NOT IN (${used.join(" UNION ")})`);
  });
  for (const old of dropped) days.delete(old);
  await write.run("CHECKPOINT analytics");
}
