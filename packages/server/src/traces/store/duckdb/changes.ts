import type { ReadConversations } from "../trace-store.ts";
import { type DatabaseConnection, integer, inTransaction, rowsOf } from "./database.ts";
import { conversationsOf, SUMMARY_COLUMNS, type SummaryColumns, toSummaryRow } from "./summaries.ts";

/** Returns the conversations whose reading is newer than reading number `after`, the newest first, at most `limit`. */
export async function readSince(
  read: DatabaseConnection,
  project: number,
  after: bigint,
  limit: number,
): Promise<ReadConversations> {
  return inTransaction(read, async () => {
    const [newest] = await rowsOf<{ last: bigint }>(
      read,
      "SELECT coalesce(max(reading), 0)::BIGINT AS last FROM conversations",
    );
    const { last } = newest!;
    if (last <= after) return { rows: [], isMore: false, last };
    const { asRead } = await conversationsOf(read, project);
    const rows = await rowsOf<SummaryColumns>(
      read,
      `SELECT ${SUMMARY_COLUMNS} FROM (${asRead}) WHERE reading > ${after} ORDER BY reading DESC LIMIT ${integer(limit) + 1}`,
    );
    return { rows: rows.slice(0, limit).map(toSummaryRow), isMore: rows.length > limit, last };
  });
}
