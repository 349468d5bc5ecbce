import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { begunBefore, deleteTraces, forgetReadings, tracesBegunBefore } from "../index/erase.ts";
import { selectTraces } from "../index/names.ts";
import { type TraceSums, traceSumsOf } from "../index/trace-sums.ts";
import { inTransaction } from "../index/transaction.ts";
import { type ConversationKey, distinct, isOneOf, isOneOfTraces, mergeTraces, type TraceKey } from "../index/writes.ts";
import { createJournalEraser } from "../../journal/erase.ts";
import { journalDir } from "../../journal/segments.ts";
import { readRecordAt, remainingOf, withSegment } from "../../journal/stored-record.ts";
import { createDecoder } from "../../otlp/decoder.ts";
import { withoutTraces } from "../../otlp/without-traces.ts";
import { type RecordAddress, SpanBatch } from "../../span-batch.ts";
import { DAY_MS } from "../day.ts";
import { changingJournal, type JournalVersion } from "../journal-version.ts";
import type { TraceEraser } from "../trace-store.ts";
import { bodiesOf } from "./bodies.ts";
import type { FolderParts } from "./store.ts";

const TRACES_AT_ONCE = 500;
/** Number of pages of the search index that one step merges. */
const MERGED_PAGES = 200;

type ErasedFolder = { dataDir: string; journalVersion: JournalVersion };
type HeldTrace = ConversationKey & TraceKey;

/** While the eraser works, no conversation is derived. */
export function createFolderEraser(
  { db, samples, loop, alone, moveSamples, emptyLog }: FolderParts,
  { dataDir, journalVersion }: ErasedFolder,
): Pick<TraceEraser, "dropDaysBefore" | "erase" | "rewrite"> {
  const dir = journalDir(dataDir);
  const journal = createJournalEraser(dir);
  const decoder = createDecoder();

  /**
   * The journal is erased first, because after a crash the rows of the traces still lead to the bodies in the journal.
   */
  async function eraseTraces(traces: readonly HeldTrace[]): Promise<void> {
    const ids = new Set(traces.map(({ traceId }) => traceId));
    for (const { segment, position } of distinctBodies(await bodiesOf(db, traces)))
      journal.reduce({ segment, position }, (record) => {
        const body = decoder.plainBody(record);
        const reduced = withoutTraces(body, record.encoding, (traceId) => ids.has(traceId));
        return reduced === body ? record.chunks[0]! : reduced;
      });
    await samples.erase(await readingsOf(traces));
    await inTransaction(db, async (tx) => {
      await sql`DELETE FROM bodies WHERE ${isOneOfTraces(tx, traces)}`.execute(tx);
      await deleteTraces(tx, traces);
      await forget(tx, traces);
    });
  }

  /**
   * Erases the bodies of the traces that were received before `beforeMs`, with the spans of all traces in these bodies, which are
   * equally old. Then removes the segments that contain only erased records.
   */
  async function eraseBodies(traces: readonly TraceKey[], beforeMs: number): Promise<void> {
    const bodies = distinctBodies(await bodiesOf(db, traces));
    for (const { segment, position } of bodies)
      journal.reduce({ segment, position }, (record) => (record.receivedMs < beforeMs ? null : record.chunks[0]!));
    journal.removeErased(bodies.map(({ segment }) => segment));
  }

  async function readingsOf(keys: readonly ConversationKey[]): Promise<number[]> {
    await moveSamples();
    const { rows } = await sql<{ reading: number }>`
      SELECT reading FROM conversations WHERE ${isOneOf(db, keys)} AND reading IS NOT NULL`.execute(db);
    return rows.map(({ reading }) => reading);
  }

  /** Removes traces without remaining bodies. Computes the sums of the other traces again from their remaining spans. */
  async function sumUpAgain(traces: readonly HeldTrace[], beforeMs: number): Promise<void> {
    await samples.erase(await readingsOf(traces));
    await inTransaction(db, async (tx) => {
      await sql`DELETE FROM bodies WHERE ${isOneOfTraces(tx, traces)} AND received_ms < ${beforeMs}`.execute(tx);
      const remaining = remainingSums(traces, distinctBodies(await bodiesOf(tx, traces)));
      await deleteTraces(tx, traces);
      const held: ConversationKey[] = [];
      for (const sums of remaining) held.push(...(await mergeTraces(tx, sums)));
      await forget(tx, [...traces, ...held]);
    });
  }

  function remainingSums(traces: readonly TraceKey[], bodies: readonly RecordAddress[]): TraceSums[][] {
    const wanted = new Set(traces.map(({ project, traceId }) => `${project} ${traceId}`));
    return bodies.flatMap((address) => {
      const record = withSegment(dir, address.segment, "r", (file) =>
        remainingOf(dir, address, readRecordAt(file, address.position)),
      );
      if (record === undefined) return [];
      const batch = new SpanBatch();
      decoder.decodeRecord(record, batch, { index: true });
      const sums = traceSumsOf(batch, () => record.receivedMs);
      const own = sums.filter(({ project, traceId }) => wanted.has(`${project} ${traceId}`));
      return own.length === 0 ? [] : [own];
    });
  }

  async function mergeSearchIndex(): Promise<void> {
    for (let first = true, changed = 1; changed > 0; first = false) {
      const before = await changesOf(db);
      // A negative number starts a merge of the whole index. Positive numbers continue that merge.
      await sql`INSERT INTO search (search, rank) VALUES ('merge', ${sql.lit(first ? -MERGED_PAGES : MERGED_PAGES)})`.execute(
        db,
      );
      changed = (await changesOf(db)) - before - 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    erase: (project, selection) =>
      alone(() =>
        changingJournal(journalVersion, async () => {
          const traces = await selectTraces(db, project, selection);
          for (const some of inPieces(traces)) await eraseTraces(some);
          if (traces.length > 0) emptyLog();
          loop.wake();
          return traces.map(({ traceId }) => traceId);
        }),
      ),
    dropDaysBefore: (day, project) =>
      alone(async () => {
        const begun = await tracesBegunBefore(db, day * DAY_MS, project);
        const days = await daysOf(db, day, project);
        for (const some of inPieces(begun)) {
          // Deletes the rows last. After a crash, the rows still lead to the project's bodies in the journal.
          if (project !== undefined) await changingJournal(journalVersion, () => eraseBodies(some, day * DAY_MS));
          await sumUpAgain(some, day * DAY_MS);
        }
        if (project === undefined) await changingJournal(journalVersion, () => journal.eraseBefore(day * DAY_MS));
        if (begun.length > 0) emptyLog();
        loop.wake();
        return days;
      }),
    rewrite: () =>
      alone(async () => {
        const { rows } = await sql<{ holds_erased: 0 | 1 }>`SELECT holds_erased FROM trace_index`.execute(db);
        const holdsErased = Boolean(rows[0]!.holds_erased);
        if (holdsErased) {
          await mergeSearchIndex();
          await sql`UPDATE trace_index SET holds_erased = false`.execute(db);
          emptyLog();
        }
        return (await samples.rewrite()) || holdsErased;
      }),
  };
}

/** The search index may still contain parts of the conversations' texts. */
async function forget(tx: Db, keys: readonly ConversationKey[]): Promise<void> {
  await forgetReadings(tx, distinct(keys));
  await sql`UPDATE trace_index SET holds_erased = true`.execute(tx);
}

async function daysOf(db: Db, day: number, project: number | undefined): Promise<number> {
  const { rows } = await sql<{ days: number }>`
    SELECT count(DISTINCT received_first_ms / ${sql.lit(DAY_MS)}) AS days FROM traces
    WHERE ${begunBefore(day * DAY_MS, project)}`.execute(db);
  return rows[0]!.days;
}

async function changesOf(db: Db): Promise<number> {
  const { rows } = await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(db);
  return rows[0]!.changes;
}

const distinctBodies = (bodies: readonly RecordAddress[]): RecordAddress[] => [
  ...new Map(bodies.map(({ segment, position }) => [`${segment} ${position}`, { segment, position }])).values(),
];

function* inPieces<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += TRACES_AT_ONCE) yield items.slice(from, from + TRACES_AT_ONCE);
}
