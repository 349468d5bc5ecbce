import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import type { NamedConversation, TraceSelection } from "../trace-store.ts";
import { indexDialectOf } from "./dialect.ts";
import { begunBefore } from "./erase.ts";
import type { ConversationKey, TraceKey } from "./writes.ts";

function listed(db: Db, texts: readonly string[]) {
  const table = indexDialectOf(db).table(
    "t",
    { text: "text" },
    texts.map((text) => ({ text })),
  );
  return sql`(SELECT text FROM ${table})`;
}

export async function selectTraces(
  db: Db,
  project: number,
  { traceIds, names }: TraceSelection,
): Promise<(ConversationKey & TraceKey)[]> {
  const found = new Map<string, ConversationKey & TraceKey>();
  for (const isNamed of [sql`trace_id IN ${listed(db, traceIds)}`, sql`key IN ${listed(db, names)}`]) {
    const { rows } = await sql<ConversationKey & TraceKey>`
      SELECT project, key, trace_id AS "traceId" FROM traces WHERE project = ${project} AND ${isNamed}`.execute(db);
    for (const row of rows) found.set(row.traceId, row);
  }
  return [...found.values()];
}

export async function conversationsBefore(db: Db, timeMs: number, project?: number): Promise<NamedConversation[]> {
  const { rows } = await sql<{ project: number; trace_id: string; conversation: string | null }>`
    SELECT project, trace_id, conversation FROM traces WHERE ${begunBefore(timeMs, project)}`.execute(db);
  return [...Map.groupBy(rows, ({ project }) => project)].map(([project, traces]) => ({
    project,
    names: [
      ...new Set(traces.flatMap(({ trace_id, conversation }) => [trace_id, ...(conversation ? [conversation] : [])])),
    ],
  }));
}

export async function namesOf(db: Db, project: number, traceId: string): Promise<TraceSelection | null> {
  const { rows } = await sql<{ trace_id: string; conversation: string | null }>`
    SELECT trace_id, conversation FROM traces WHERE project = ${project} AND key = (
      SELECT key FROM traces WHERE project = ${project} AND trace_id = ${traceId})`.execute(db);
  if (rows.length === 0) return null;
  return {
    traceIds: rows.map(({ trace_id }) => trace_id),
    names: [...new Set(rows.flatMap(({ conversation }) => conversation ?? []))],
  };
}

export async function withDigests(db: Db, project: number, digests: readonly string[]): Promise<string[]> {
  const { sha256 } = indexDialectOf(db);
  const { rows } = await sql<{ trace_id: string }>`
    SELECT trace_id FROM traces WHERE project = ${project} AND (
      ${sha256("trace ", "trace_id")} IN ${listed(db, digests)} OR ${sha256("name ", "conversation")} IN ${listed(db, digests)})`.execute(
    db,
  );
  return rows.map(({ trace_id }) => trace_id);
}
