import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { type ConversationKey, isOneOf } from "./index-writes.ts";
import { LACKS_TERMS } from "./sort-keys.ts";
import { type TermFacts, termsOf } from "./terms.ts";
import { inTransaction } from "./transaction.ts";

const CONVERSATIONS_AT_ONCE = 200;

/** Returns the statement that stores the terms of conversations, which are rows of (project, key, terms). */
export const storeTerms = (rows: RawBuilder<unknown>) => sql`
  INSERT INTO conversation_terms (project, key, terms) ${rows}
  ON CONFLICT (project, key) DO UPDATE SET terms = excluded.terms WHERE conversation_terms.terms <> excluded.terms`;

export async function removeTerms(tx: Db, keys: readonly ConversationKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`DELETE FROM conversation_terms WHERE ${isOneOf("conversation_terms", keys)}`.execute(tx);
}

/**
 * Returns the conversations that may have the terms: those whose terms are missing or too old may have any. Behind OFFSET, the planner uses the index instead of walking the order of a page.
 */
export const conversationsWith = (project: number, terms: readonly number[]) => sql`(
  SELECT c.* FROM conversation_terms t JOIN conversations c ON c.project = t.project AND c.key = t.key
  WHERE t.project = ${project} AND t.terms @> ${terms}::integer[] AND c.terms_change = c.change
  UNION ALL SELECT * FROM conversations WHERE project = ${project} AND ${sql.raw(LACKS_TERMS)}
  OFFSET 0) conversations`;

type Row = Omit<TermFacts, "texts" | "names"> &
  ConversationKey &
  Record<"transcript" | "read_names" | "agent" | "conversation" | "root_name", string | null>;

/** Stores the terms of the next conversations that an older version has read; returns their number. */
export const addMissingTerms = (db: Db): Promise<number> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql<Row>`
      SELECT project, key, transcript, names AS read_names, agent, conversation, root_name, source, coalesce(errors, 0) AS errors,
        interruptions, coalesce(latency_max, text_response_max) AS "slowestMs", coalesce(tools, '{}') AS tools, quality
      FROM conversations WHERE ${sql.raw(LACKS_TERMS)} AND read_change = change
      LIMIT ${CONVERSATIONS_AT_ONCE} FOR UPDATE SKIP LOCKED`.execute(tx);
    if (rows.length === 0) return 0;
    const records = rows.map((row) => {
      const names = [row.agent, row.conversation, row.root_name];
      return {
        project: row.project,
        key: row.key,
        terms: termsOf({ ...row, texts: [row.transcript, row.read_names], names }),
      };
    });
    await sql`
      WITH missing AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(records)}::json) AS r(project integer, key text, terms integer[])
      ), indexed AS (${storeTerms(sql`SELECT project, key, terms FROM missing`)})
      UPDATE conversations c SET terms_change = change FROM missing m WHERE c.project = m.project AND c.key = m.key COLLATE "C"`.execute(
      tx,
    );
    return rows.length;
  });
