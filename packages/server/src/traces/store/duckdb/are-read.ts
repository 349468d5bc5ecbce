import type { WaitingRead } from "../trace-store.ts";
import { type DatabaseConnection, idLiteral, integer, rowsOf } from "./database.ts";
import { KEY } from "./groups.ts";

/**
 * Returns for each read whether the reading of its conversation includes every span up to the record `lsn`. A trace that
 * is not stored has no such span.
 */
export async function areRead(read: DatabaseConnection, reads: readonly WaitingRead[]): Promise<boolean[]> {
  const wanted = reads.map(
    ({ project, traceId, lsn }, at) =>
      `(${at}, ${integer(project)}::UINTEGER, ${idLiteral(traceId, "UHUGEINT")}, ${integer(lsn)}::BIGINT)`,
  );
  const projects = [...new Set(reads.map(({ project }) => integer(project)))].join(", ");
  const unread = await rowsOf<{ place: number }>(
    read,
    `WITH keyed AS (SELECT project, trace_id, ${KEY} AS key, lsn, projected_lsn FROM traces WHERE project IN (${projects})),
       wanted AS (
         SELECT w.place, w.last, t.project, t.key FROM (VALUES ${wanted.join(", ")}) w(place, project, trace_id, last)
         JOIN keyed t ON t.project = w.project AND t.trace_id = w.trace_id)
     SELECT DISTINCT w.place::INTEGER AS place FROM wanted w JOIN keyed t ON t.project = w.project AND t.key = w.key
     WHERE t.projected_lsn < least(t.lsn, w.last)`,
  );
  const waiting = new Set(unread.map(({ place }) => place));
  return reads.map((_, at) => !waiting.has(at));
}
