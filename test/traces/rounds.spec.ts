import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Database, openDatabase, rowsOf } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { tableOfDay } from "../../packages/server/src/traces/store/duckdb/day-tables.ts";
import { findDue } from "../../packages/server/src/traces/store/duckdb/due-readings.ts";
import {
  createProjector,
  type Projector,
  type Round,
} from "../../packages/server/src/traces/store/duckdb/projector.ts";
import { prepareTables } from "../../packages/server/src/traces/store/duckdb/schema.ts";
import { mergeSums } from "../../packages/server/src/traces/store/duckdb/sums.ts";
import { createJournalVersion } from "../../packages/server/src/traces/store/journal-version.ts";
import {
  openProjectorThread,
  type ProjectorThread,
} from "../../packages/server/src/traces/store/projector/thread-client.ts";
import { openIngest, spanOf } from "../support/ingest.ts";

let dataDir: string;
let database: Database;
let thread: ProjectorThread;
let projector: Projector;
let day: number;

/** Stores two conversations that were read, and opens the store's tables without a loader. */
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-rounds-"));
  const ingest = await openIngest({ dataDir });
  await ingest.take(1, [spanOf(1, 0), spanOf(1, 1), spanOf(2, 0), spanOf(2, 1)]);
  await ingest.intake.drain();
  await ingest.close();
  database = await openDatabase(dataDir, 128);
  const { days } = await prepareTables(database.write);
  day = [...days][0]!;
  thread = openProjectorThread({ dataDir, journalVersion: createJournalVersion() }, () => undefined);
  projector = await createProjector(database, thread, days, () => undefined);
});
afterEach(async () => {
  await thread.close();
  database.close();
  rmSync(dataDir, { recursive: true });
});

/** Adds a span to each conversation, as a commit does. */
const addSpans = () =>
  database.write.run(mergeSums(`SELECT s.*, ${day} AS day FROM ${tableOfDay(day)} s WHERE s.name = 'step 1'`, 0));

/** Chooses all conversations that have new spans. */
async function choose(): Promise<Round> {
  const { due } = await findDue(database.statements, 1, { nowMs: Date.now(), watched: [], all: true });
  return (await projector.choose(due)) as Round;
}

const stored = () =>
  rowsOf<{ unread: boolean; traceSpans: number; spans: number }>(
    database.write,
    `SELECT t.projected_lsn < t.lsn AS unread, t.spans::INTEGER AS "traceSpans", c.spans
     FROM traces t JOIN conversations c USING (reading) ORDER BY t.trace_id`,
  );

describe("a round of readings", () => {
  test("leaves conversations unread whose spans were stored meanwhile, and the next round reads them", async () => {
    await addSpans();
    const round = await choose();
    const outcomes = await projector.read(round);
    await addSpans();
    await projector.store(round, outcomes);
    const behind = { unread: true, traceSpans: 4, spans: 3 };
    expect(await stored()).toEqual([behind, behind]);
    const next = await choose();
    await projector.store(next, await projector.read(next));
    const whole = { unread: false, traceSpans: 4, spans: 4 };
    expect(await stored()).toEqual([whole, whole]);
  });

  test("reads the first conversation alone when all are too large together", async () => {
    await addSpans();
    const round = await choose();
    expect(round.conversations).toHaveLength(2);
    expect(await projector.store(round, null)).toBe(1);
    expect((await stored()).filter(({ unread }) => unread)).toHaveLength(1);
  });
});

describe("the projector thread", () => {
  /** Makes the thread fail: it finds rows of a trace that belongs to no conversation. */
  const breaking = ({ request }: Round) => ({ ...request, traces: [] });

  test("that fails during a round has the conversations read one by one", async () => {
    await addSpans();
    expect(await thread.read(breaking(await choose()))).toBeNull();
    const round = await choose();
    expect(await projector.read(round)).toMatchObject([{ reading: { names: null } }, { reading: { names: null } }]);
  });

  test("that fails with one conversation says so, and starts again", async () => {
    await addSpans();
    const { request } = await choose();
    const [first] = request.conversations;
    expect(await thread.read({ ...request, conversations: [first!], traces: [] })).toEqual([
      { error: expect.objectContaining({ name: "TypeError" }) },
    ]);
    const round = await choose();
    await projector.store(round, await projector.read(round));
    expect((await stored()).map(({ unread }) => unread)).toEqual([false, false]);
  });
});
