import { maskOf, signatureOf } from "../../search-signature.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { AS_READ } from "./summaries.ts";

const SIGNED_PER_ROUND = 2_000;
/** With more candidates, the texts of all conversations are read faster than those of each candidate. */
const CANDIDATES_MAX = 40;

type SearchedRow = { reading: bigint; project: number; transcript: string | null; names: string | null } & Record<
  "agent" | "conversation" | "root_name",
  string | null
>;

/** Stores the signatures of the next readings, in the order of their numbers; returns whether there may be more. */
export async function signReadings(write: DatabaseConnection): Promise<boolean> {
  const rows = await rowsOf<SearchedRow>(
    write,
    `SELECT reading, project, transcript, names, agent, conversation, root_name FROM conversations
     WHERE reading > ${await lastSigned(write)} ORDER BY reading LIMIT ${SIGNED_PER_ROUND}`,
  );
  if (rows.length === 0) return false;
  await deleteUnusedSignatures(write);
  const appender = await write.createAppender("signatures");
  for (const { reading, project, agent, conversation, root_name, ...texts } of rows) {
    appender.appendBigInt(reading);
    appender.appendUInteger(project);
    for (const word of signatureOf({ ...texts, sent: [agent, conversation, root_name] })) appender.appendUBigInt(word);
    appender.endRow();
  }
  appender.closeSync();
  return rows.length === SIGNED_PER_ROUND;
}

/** Deletes the signatures of readings that were replaced or erased. */
export async function deleteUnusedSignatures(write: DatabaseConnection): Promise<void> {
  await write.run("DELETE FROM signatures WHERE reading NOT IN (SELECT reading FROM conversations)");
}

async function lastSigned(connection: DatabaseConnection): Promise<bigint> {
  const [row] = await rowsOf<{ last: bigint }>(
    connection,
    "SELECT coalesce(max(reading), 0)::BIGINT AS last FROM signatures",
  );
  return row!.last;
}

/**
 * Returns the query for the conversations that can contain the text: those without a signature yet, and those whose signature
 * allows it; undefined when these are many, or when the text has no bits.
 */
export async function candidatesFor(read: DatabaseConnection, project: number, search: string) {
  const mask = [...maskOf(search)];
  if (mask.length === 0) return undefined;
  const hasBits = mask.map(([word, bits]) => `(bits_${word} & ${bits}::UBIGINT) = ${bits}::UBIGINT`);
  const candidates = await rowsOf<{ reading: bigint }>(
    read,
    `SELECT reading FROM signatures WHERE project = ${integer(project)} AND ${hasBits.join(" AND ")} LIMIT ${CANDIDATES_MAX + 1}`,
  );
  if (candidates.length > CANDIDATES_MAX) return undefined;
  const unsigned = `${AS_READ} WHERE reading > ${await lastSigned(read)}`;
  // DuckDB skips the texts of other rows only for a comparison with one constant.
  const each = candidates.map(({ reading }) => `${AS_READ} WHERE reading = ${reading}`);
  return `SELECT * FROM (${[unsigned, ...each].join(" UNION ALL ")})`;
}
