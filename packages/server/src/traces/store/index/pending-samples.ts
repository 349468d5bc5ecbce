import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { indexDialectOf } from "./dialect.ts";
import type { NumberedReading, StoreBeside } from "./readings.ts";
import { inTransaction } from "./transaction.ts";

/** The samples and tool calls of a reading, which replace those of the reading with the number `former`. */
export type ReadingSamples = {
  reading: number;
  former: number | null;
  project: number;
  traceId: string;
  source: string;
  agent: string | null;
} & Pick<NumberedReading["reading"], "samples" | "toolUses">;

/** Keeps the samples of stored readings until the database of samples has them. */
export const keepSamples: StoreBeside = async (tx, stored) => {
  const rows = stored.map(({ number, former, traceId, conversation, reading: { samples, toolUses } }) => {
    const { project, source, agent } = conversation;
    const kept: ReadingSamples = {
      reading: number,
      former,
      project,
      traceId,
      source: source ?? "production",
      agent,
      samples,
      toolUses,
    };
    return { reading: number, samples: JSON.stringify(kept) };
  });
  await sql`
    INSERT INTO pending_samples (reading, samples)
    SELECT reading, samples FROM ${indexDialectOf(tx).table("r", { reading: "bigint", samples: "text" }, rows)}`.execute(
    tx,
  );
};

/** The characters of the samples that are moved together, at most; one reading may have more. */
const CHARACTERS_MAX = 16 * 1024 * 1024;

/** Returns the samples that wait longest, in the order of their readings. */
export async function pendingSamples(db: Db, limit: number): Promise<ReadingSamples[]> {
  const { rows } = await sql<{ samples: string }>`
    SELECT samples FROM (
      SELECT reading, samples, sum(length(samples)) OVER (ORDER BY reading) - length(samples) AS before
      FROM (SELECT reading, samples FROM pending_samples ORDER BY reading LIMIT ${limit}) AS first) AS counted
    WHERE before < ${CHARACTERS_MAX} ORDER BY reading`.execute(db);
  return rows.map(({ samples }) => JSON.parse(samples) as ReadingSamples);
}

/** Removes the samples of readings up to a number, which the database of samples has. */
export const removePending = (db: Db, reading: number): Promise<void> =>
  inTransaction(db, async (tx) => {
    await sql`DELETE FROM pending_samples WHERE reading <= ${reading}`.execute(tx);
    await sql`UPDATE trace_index SET moved_reading = ${reading}`.execute(tx);
  });
