import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import type { ReadingSamples, Samples } from "../duckdb/samples.ts";
import { indexDialectOf, nowMsOf } from "../index/dialect.ts";
import type { NumberedReading, StoreBeside } from "../index/readings.ts";
import { NUMBERS_PER_SAMPLE, packSamples } from "../packed-samples.ts";
import { inTransaction } from "../index/transaction.ts";

/** The samples of derived conversations that wait in memory until they are moved to the database of samples. */
export type WaitingSamples = {
  add: (stored: readonly NumberedReading[]) => void;
  move: () => Promise<void>;
  /** Moves the samples if many wait. Rejects if the move fails, so that no more conversations are derived. */
  makeRoom: () => Promise<void>;
  /** Resolves when no move is under way. */
  settled: () => Promise<void>;
};

/** If more samples and tool calls than this wait, they are moved before more conversations are derived. */
const WAITING_MAX = 100_000;

export function createWaitingSamples(db: Db, samples: Pick<Samples, "store">): WaitingSamples {
  let waiting: ReadingSamples[] = [];
  let moving: Promise<void> | undefined;

  async function moveAll(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting;
      await samples.store(some);
      waiting = waiting.slice(some.length);
      await removeNotes(db, some.at(-1)!.reading);
    }
  }

  const move = () => (moving ??= moveAll().finally(() => (moving = undefined)));
  return {
    add: (stored) => void (waiting = [...waiting, ...stored.map(samplesOf)]),
    move,
    async makeRoom() {
      const rows = waiting.reduce((sum, one) => sum + one.samples.length / NUMBERS_PER_SAMPLE + one.toolUses.length, 0);
      if (rows > WAITING_MAX) await move();
    },
    settled: async () => moving?.catch(() => undefined),
  };
}

const samplesOf = ({ number, former, traceId, conversation, reading }: NumberedReading): ReadingSamples => ({
  reading: number,
  former,
  project: conversation.project,
  traceId,
  source: conversation.source ?? "production",
  agent: conversation.agent,
  agentVersion: reading.agentVersion,
  channel: reading.channel,
  samples: reading.samples,
  toolUses: reading.toolUses,
});

const COLUMNS = { reading: "bigint", project: "integer", former: "bigint" } as const;

/**
 * Records the derived conversations whose samples are only in memory. If the process is killed, `readUnmovedAgain` finds these
 * conversations.
 */
export const noteReadings: StoreBeside = async (tx, stored) => {
  const rows = stored.map(({ number, former, conversation }) => ({
    reading: number,
    project: conversation.project,
    former,
  }));
  await sql`
    INSERT INTO unmoved_readings (reading, project, former)
    SELECT reading, project, former FROM ${indexDialectOf(tx).table("r", COLUMNS, rows)}`.execute(tx);
};

const removeNotes = (db: Db, reading: number): Promise<void> =>
  inTransaction(db, async (tx) => {
    await sql`DELETE FROM unmoved_readings WHERE reading <= ${reading}`.execute(tx);
    await sql`UPDATE trace_index SET moved_reading = ${reading}`.execute(tx);
  });

/**
 * Handles derived conversations whose samples a killed process had not moved to the database. Marks these conversations to be
 * derived again, and removes the older samples that the lost ones had replaced.
 */
export async function readUnmovedAgain(db: Db, samples: Pick<Samples, "store" | "lastReading">): Promise<void> {
  const { rows } = await sql<{ reading: number; project: number; former: number | null }>`
    SELECT reading, project, former FROM unmoved_readings WHERE reading > ${samples.lastReading()} ORDER BY reading`.execute(
    db,
  );
  const last = rows.at(-1);
  if (last === undefined) return;
  await sql`
    UPDATE conversations SET reread = true, due_ms = coalesce(due_ms, ${nowMsOf(db)})
    FROM unmoved_readings AS u
    WHERE conversations.project = u.project AND conversations.reading = u.reading
      AND u.reading > ${samples.lastReading()}`.execute(db);
  const none = {
    traceId: "",
    source: "production",
    agent: null,
    agentVersion: null,
    channel: null,
    samples: packSamples([]),
    toolUses: [],
  };
  await samples.store(rows.map((row) => ({ ...row, ...none })));
  await removeNotes(db, last.reading);
}
