import { type Connection, inTransaction, rowsOf } from "../../stores/analytics.ts";
import { removeSegmentsBefore } from "../journal/segments.ts";
import { tableOfDay } from "./days.ts";
import { dropReadings } from "./readings.ts";
import { replaceSums } from "./sums.ts";

/**
 * Drops the tables of the days before `day`, the rows of the traces that lie wholly there, and the journal's segments
 * that no kept span lies in. A trace that reaches into a kept day is summed up anew over the spans that stay, and its
 * conversation is read again.
 */
export async function dropDaysBefore(
  write: Connection,
  days: Set<number>,
  day: number,
  journalDir: string,
): Promise<void> {
  const dropped = [...days].filter((table) => table < day);
  if (dropped.length === 0) return;
  const kept = [...days].filter((table) => table >= day).map((table) => ({ table: tableOfDay(table), day: table }));
  await inTransaction(write, async () => {
    for (const old of dropped) await write.run(`DROP TABLE ${tableOfDay(old)}`);
    await write.run(
      `CREATE OR REPLACE TEMP TABLE outdated AS
       SELECT DISTINCT reading FROM traces WHERE first_day < ${day} AND reading IS NOT NULL`,
    );
    await dropReadings(write, "FROM temp.outdated");
    await write.run(`DELETE FROM traces WHERE last_day < ${day}`);
    if (kept.length === 0) return;
    const spans = kept.map(
      ({ table, day: received }) =>
        `SELECT s.project, s.trace_id, ${received} AS day, s.lsn, s.start_ns, s.end_ns, s.status, s.parent_span_id, s.name,
           s.conversation, s.conversation_rank, s.agent, s.service, s.received_ms FROM ${table} s
         SEMI JOIN (FROM traces WHERE first_day < ${day}) t ON t.project = s.project AND t.trace_id = s.trace_id`,
    );
    await write.run(replaceSums(spans.join(" UNION ALL ")));
  });
  for (const old of dropped) days.delete(old);
  await write.run("CHECKPOINT analytics");
  const [{ lsn }] = (await rowsOf<{ lsn: bigint }>(write, "SELECT lsn FROM ingest_state")) as [{ lsn: bigint }];
  const needed = kept.map(({ table }) => `SELECT min(segment) AS segment FROM ${table}`).join(" UNION ALL ");
  const [first] =
    kept.length === 0
      ? []
      : await rowsOf<{ segment: bigint | null }>(write, `SELECT min(segment) AS segment FROM (${needed})`);
  removeSegmentsBefore(journalDir, Number(first?.segment ?? lsn + 1n));
}
