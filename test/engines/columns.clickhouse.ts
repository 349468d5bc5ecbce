import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openClickHouse } from "../../packages/server/src/traces/store/clickhouse/client.ts";
import { clickHouseOf, databaseOf, openStoreOf } from "../support/engine.ts";
import { type Ingest, noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";
import { until } from "../support/until.ts";

let dataDir: string;
let ingest: Ingest;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-columns-"));
  await databaseOf(dataDir);
  ingest = await openIngest({ dataDir });
});
afterEach(async () => {
  await ingest.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const NEW_COLUMNS = ["agent_version", "channel"];

/** Makes the tables as a version without these columns left them. */
async function removeColumns(): Promise<void> {
  const { db, close } = await openStoreOf(dataDir);
  for (const column of NEW_COLUMNS) await sql`ALTER TABLE conversations DROP COLUMN ${sql.ref(column)}`.execute(db);
  await sql`UPDATE conversations SET mapping_version = mapping_version - 1`.execute(db);
  await close();
  const { table, run, close: disconnect } = await openClickHouse((await clickHouseOf(dataDir))!);
  for (const column of NEW_COLUMNS) await run(`ALTER TABLE ${table("readings")} DROP COLUMN ${column}`);
  await disconnect();
}

async function found(): Promise<{ traceIds: string[]; samples: number[] }> {
  const { reader } = ingest.store;
  const channels = ["telephone"] as const;
  const { rows } = await reader.list({
    project: 1,
    limit: 10,
    sort: { by: "startedAt", descending: true },
    after: undefined,
    filters: { ...noFilters, channels },
  });
  const period = { project: 1, fromMs: 0, toMs: 4e12, bucketMs: 1e12, agents: undefined, source: undefined };
  const points = await reader.metrics({ ...period, channels, measures: ["transcription_delay"] });
  return { traceIds: rows.map(({ traceId }) => traceId), samples: points!.map(({ samples }) => samples) };
}

test("databases of a version without channels get their columns at the start, and channels when they are read again", async () => {
  const turn = (trace: number, sip: boolean) =>
    spanOf(trace, 1, {
      name: "user_turn",
      attributes: [
        attribute("lk.user_transcript", "Hello?"),
        attribute("lk.transcription_delay", 0.25),
        ...(sip ? [attribute("lk.sip.callID", "c")] : []),
      ],
    });
  await ingest.take(1, [turn(1, true), turn(2, false)]);
  await ingest.intake.drain();
  const both = { traceIds: [traceIdOf(1)], samples: [1, 1] };
  expect(await found()).toEqual(both);
  await ingest.close();
  await removeColumns();
  ingest = await openIngest({ dataDir });
  expect(await found()).toEqual({ traceIds: [], samples: [] });
  await ingest.store.reader.remap(1, false);
  const again = await until("the conversations are derived again", async () => {
    const all = await found();
    return all.traceIds.length > 0 && all;
  });
  expect(again).toEqual(both);
});
