import type { JournalEraser } from "../../journal/erase.ts";
import type { Decoder } from "../../otlp/decoder.ts";
import { withoutTraces } from "../../otlp/without-traces.ts";
import type { NamedConversation, TraceSelection } from "../trace-store.ts";
import { type DatabaseConnection, idLiteral, inTransaction, integer, rowsOf } from "./database.ts";
import { tableOfDay } from "./day-tables.ts";
import { KEY } from "./groups.ts";
import { deleteOutdatedPools } from "./pools.ts";
import { deleteReadings } from "./readings.ts";
import { MARK_ERASED } from "./rewrite.ts";
import { hexId } from "../span-row.ts";

/**
 * Erases the selected traces of a project: their spans in the bodies of the journal first, then their rows. A crash between
 * leaves the rows, by which the next call finds the bodies again. Returns the ids of the erased traces.
 */
export async function eraseTraces(
  write: DatabaseConnection,
  days: Set<number>,
  journal: JournalEraser,
  decoder: Decoder,
  project: number,
  selection: TraceSelection,
): Promise<string[]> {
  const ofProject = `project = ${integer(project)}`;
  await selectTraces(write, ofProject, selection);
  const [traces, bodies] = [
    await rowsOf<{ trace_id: bigint }>(write, "FROM temp.erased"),
    await bodiesOf(write, days, ofProject),
  ];
  const ids = new Set(traces.map(({ trace_id }) => hexId(trace_id, 32)));
  if (ids.size === 0) return [];
  for (const { segment, position } of bodies) {
    journal.reduce({ segment: Number(segment), position }, (record) => {
      const body = decoder.plainBody(record);
      const reduced = withoutTraces(body, record.encoding, (traceId) => ids.has(traceId));
      return reduced === body ? record.chunks[0]! : reduced;
    });
  }
  await inTransaction(write, async () => {
    await write.run(MARK_ERASED);
    await deleteReadings(
      write,
      `SELECT reading FROM traces WHERE ${ofProject} AND ${SELECTED} AND reading IS NOT NULL`,
    );
    await deleteOutdatedPools(write);
    for (const table of [...[...days].map(tableOfDay), "resent", "traces"])
      await write.run(`DELETE FROM ${table} WHERE ${ofProject} AND ${SELECTED}`);
  });
  return [...ids];
}

const SELECTED = "trace_id IN (SELECT trace_id FROM temp.erased)";

async function selectTraces(write: DatabaseConnection, ofProject: string, { traceIds, names }: TraceSelection) {
  const ids = traceIds.map((id) => idLiteral(id, "UHUGEINT"));
  const named = names.map((_, index) => `$${index + 1}`);
  await write.run(
    `CREATE OR REPLACE TEMP TABLE erased AS SELECT trace_id FROM traces WHERE ${ofProject}
     AND (${KEY} IN (${[...named, "NULL"].join(", ")}) OR trace_id IN (${[...ids, "NULL"].join(", ")}))`,
    [...names],
  );
}

/** Returns the addresses of the bodies with spans of the selected traces, in the order of the journal. */
async function bodiesOf(write: DatabaseConnection, days: Set<number>, ofProject: string) {
  const tables = [...[...days].map(tableOfDay), "resent"];
  const addresses = tables.map((table) => `SELECT segment, position FROM ${table} WHERE ${ofProject} AND ${SELECTED}`);
  return rowsOf<{ segment: bigint; position: number }>(
    write,
    `SELECT DISTINCT segment, position FROM (${addresses.join(" UNION ALL ")}) ORDER BY segment, position`,
  );
}

/** Returns the conversations with spans that were received before `day`. */
export async function conversationsBefore(read: DatabaseConnection, day: number): Promise<NamedConversation[]> {
  const rows = await rowsOf<{ project: number; trace_id: bigint; conversation: string | null }>(
    read,
    `SELECT project, trace_id, conversation FROM traces WHERE first_day < ${integer(day)}`,
  );
  const projects = Map.groupBy(rows, ({ project }) => project);
  return [...projects].map(([project, traces]) => ({
    project,
    names: [
      ...new Set(
        traces.flatMap(({ trace_id, conversation }) =>
          conversation === null ? [hexId(trace_id, 32)] : [hexId(trace_id, 32), conversation],
        ),
      ),
    ],
  }));
}

/** Returns all names of the conversation that holds the trace: its own name and the ids of its traces; null without one. */
export async function namesOfConversation(
  read: DatabaseConnection,
  project: number,
  traceId: string,
): Promise<TraceSelection | null> {
  const ofProject = `project = ${integer(project)}`;
  const rows = await rowsOf<{ trace_id: bigint; conversation: string | null }>(
    read,
    `SELECT trace_id, conversation FROM traces WHERE ${ofProject} AND ${KEY} = (
       SELECT ${KEY} FROM traces WHERE ${ofProject} AND trace_id = ${idLiteral(traceId, "UHUGEINT")})`,
  );
  if (rows.length === 0) return null;
  return {
    traceIds: rows.map(({ trace_id }) => hexId(trace_id, 32)),
    names: [...new Set(rows.flatMap(({ conversation }) => conversation ?? []))],
  };
}

/** Returns the ids of the traces whose id or conversation has one of these digests, in the form of `digestOf`. */
export async function tracesWithDigests(
  read: DatabaseConnection,
  project: number,
  digests: readonly string[],
): Promise<string[]> {
  const rows = await rowsOf<{ trace_id: bigint }>(
    read,
    `SELECT trace_id FROM traces WHERE project = ${integer(project)} AND (
       sha256('trace ' || lpad(lower(hex(trace_id)), 32, '0')) IN (SELECT unnest(from_json($1, '["VARCHAR"]')))
       OR sha256('name ' || conversation) IN (SELECT unnest(from_json($1, '["VARCHAR"]'))))`,
    [JSON.stringify(digests)],
  );
  return rows.map(({ trace_id }) => hexId(trace_id, 32));
}
