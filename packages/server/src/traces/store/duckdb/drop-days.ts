import { type DatabaseConnection, inTransaction } from "./database.ts";
import { tableOfDay } from "./day-tables.ts";
import { MARK_ERASED } from "./rewrite.ts";
import { deleteOutdatedPools } from "./pools.ts";
import { deleteReadings } from "./readings.ts";
import { replaceSums } from "./sums.ts";

/**
 * Drops the tables of the days before `day` and the traces that end in them. Traces with later spans get new sums over those
 * spans, and the next projection replaces the readings of their conversations. Returns the number of dropped days.
 */
export async function dropDaysBefore(write: DatabaseConnection, days: Set<number>, day: number): Promise<number> {
  const dropped = [...days].filter((old) => old < day);
  if (dropped.length === 0) return 0;
  const remaining = [...days].filter((other) => other >= day);
  await inTransaction(write, async () => {
    await write.run(MARK_ERASED);
    for (const old of dropped) await write.run(`DROP TABLE ${tableOfDay(old)}`);
    await write.run(`DELETE FROM resent WHERE day < ${day}`);
    await write.run(
      `CREATE OR REPLACE TEMP TABLE outdated AS
       SELECT DISTINCT reading FROM traces WHERE first_day < ${day} AND reading IS NOT NULL`,
    );
    await deleteReadings(write, "FROM temp.outdated");
    await deleteOutdatedPools(write);
    await write.run(`DELETE FROM traces WHERE last_day < ${day}`);
    if (remaining.length === 0) return;
    const spans = remaining.map(
      (other) =>
        `SELECT s.project, s.trace_id, ${other} AS day, s.lsn, s.start_ns, s.end_ns, s.status, s.parent_span_id, s.name,
           s.conversation, s.conversation_rank, s.agent, s.service, s.received_ms FROM ${tableOfDay(other)} s
         SEMI JOIN (FROM traces WHERE first_day < ${day}) t ON t.project = s.project AND t.trace_id = s.trace_id`,
    );
    await write.run(replaceSums(spans.join(" UNION ALL ")));
  });
  for (const old of dropped) days.delete(old);
  return dropped.length;
}
