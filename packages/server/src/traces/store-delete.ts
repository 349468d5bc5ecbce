import { type Connection, idLiteral, inTransaction } from "../stores/analytics.ts";
import { tableOfDay } from "./store-days.ts";

/** Removes a trace's spans and its row; one that is not there is gone already. */
export async function deleteTrace(
  write: Connection,
  days: Set<number>,
  project: number,
  traceId: string,
): Promise<void> {
  const where = `WHERE project = ${Number(project)} AND trace_id = ${idLiteral(traceId, "UHUGEINT")}`;
  await inTransaction(write, async () => {
    for (const day of days) await write.run(`DELETE FROM ${tableOfDay(day)} ${where}`);
    await write.run(`DELETE FROM traces ${where}`);
  });
}
