import { DAY_MS } from "../day.ts";
import { inTransaction, type WritingDatabase } from "./database.ts";
import { createDayTable, daysBetween, tableOfDay } from "./day-tables.ts";
import { sharedLsn, type Statements } from "./statements.ts";
import { mergeSums } from "./sums.ts";

/** The rows in the staging table; `suspects` counts those that may be stored already or occur twice. */
export type StagedRows = { rows: number; suspects: number; lastLsn: number; days: Set<number> };

const STAGED_SPANS = `
  SELECT s.project, s.trace_id, s.span_id, nullif(s.parent_span_id, 0) AS parent_span_id, s.start_ns,
    nullif(s.end_ns, 0) AS end_ns, s.received_ms::BIGINT AS received_ms, s.lsn::BIGINT AS lsn,
    s.segment::BIGINT AS segment, s.position, s.status, nullif(s.conversation_rank, 255) AS conversation_rank, s.name,
    s.conversation, s.agent, s.service`;

/**
 * Commits the staged rows in one transaction: new spans, the sums of their traces, and the number of the last loaded
 * record. Leaves out resent spans, which have the (project, trace, span) of a stored one.
 */
export async function commitStaged(
  { write, statements }: WritingDatabase,
  days: Set<number>,
  staged: StagedRows,
  recentSinceLsn: number,
): Promise<void> {
  const firstLsn = staged.rows > 0 ? await removeResent(statements, days, staged, recentSinceLsn) : 0;
  const newDays = [...staged.days].filter((day) => !days.has(day));
  await inTransaction(write, async () => {
    for (const day of newDays) await createDayTable(write, day);
    if (staged.rows > 0) {
      for (const day of staged.days) {
        const within =
          staged.days.size === 1
            ? ""
            : `WHERE s.received_ms >= ${day * DAY_MS} AND s.received_ms < ${(day + 1) * DAY_MS}`;
        await statements.run(`INSERT INTO ${tableOfDay(day)} ${STAGED_SPANS} FROM temp.staging s ${within}`);
      }
      const spans = `${STAGED_SPANS}, (s.received_ms::BIGINT // ${DAY_MS})::INTEGER AS day FROM temp.staging s`;
      await statements.run(mergeSums(spans, sharedLsn(firstLsn)));
    }
    await statements.run("UPDATE ingest_state SET lsn = greatest(lsn, $1::BIGINT)", [BigInt(staged.lastLsn)]);
  });
  for (const day of newDays) days.add(day);
}

/**
 * Deletes resent spans from the staged rows and keeps the first of each. Searches only where a stored one can be. Returns a
 * number of a journal record before which none of the rows' traces began.
 */
async function removeResent(
  statements: Statements,
  days: Set<number>,
  staged: StagedRows,
  recentSinceLsn: number,
): Promise<number> {
  const mayBeStored = staged.suspects > 0 ? "" : `WHERE first_lsn <= ${recentSinceLsn}`;
  const [stored] = await statements.rowsOf<{ first_lsn: bigint | null; first_day: number; last_day: number }>(
    `SELECT min(first_lsn) AS first_lsn, min(first_day) AS first_day, max(last_day) AS last_day
     FROM traces SEMI JOIN temp.staging USING (project, trace_id) ${mayBeStored}`,
  );
  if (staged.suspects > 0) {
    await dropStaged(
      statements,
      "rowid NOT IN (SELECT min(rowid) FROM temp.staging GROUP BY project, trace_id, span_id)",
    );
  }
  if (stored!.first_lsn === null) return staged.suspects > 0 ? staged.lastLsn : recentSinceLsn;
  for (const day of daysBetween(days, stored!.first_day, stored!.last_day)) {
    await dropStaged(
      statements,
      `rowid IN (SELECT s.rowid FROM temp.staging s
       JOIN ${tableOfDay(day)} k USING (project, trace_id, span_id) WHERE k.lsn >= ${stored!.first_lsn})`,
    );
  }
  return Number(stored!.first_lsn);
}

/** Deletes staged rows and notes their bodies, which repeat the text of stored spans. */
async function dropStaged(statements: Statements, condition: string): Promise<void> {
  await statements.run(
    `INSERT INTO resent SELECT DISTINCT project, trace_id, segment::BIGINT, position, (received_ms::BIGINT // ${DAY_MS})::INTEGER
     FROM temp.staging WHERE ${condition}`,
  );
  await statements.run(`DELETE FROM temp.staging WHERE ${condition}`);
}
