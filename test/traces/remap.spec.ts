import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { outdatePools } from "../../packages/server/src/traces/store/duckdb/pools.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import { MAPPING_VERSION } from "../../packages/server/src/traces/vocabulary/version.ts";
import { openIngest, spanOf } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const said = (trace: number, words: string) =>
  spanOf(trace, 1, {
    name: "user_turn",
    attributes: [text("lk.user_transcript", words), { key: "lk.transcription_delay", value: { doubleValue: 0.25 } }],
  });

/** Runs a statement on the index of a stopped service. */
async function onIndex(dataDir: string, statement: string): Promise<void> {
  const { engine, committed, close } = await openIndexFile(dataDir, (error) => {
    throw error;
  });
  engine.exec(statement);
  committed();
  await close();
}

/** Makes the stored conversations look as if an older mapping version had derived them and recognised no turns and no measures. */
async function ageReadings(dataDir: string) {
  await onIndex(
    dataDir,
    `UPDATE conversations SET mapping_version = ${MAPPING_VERSION - 1}, turns = 0, preview = 'older'`,
  );
  const { write, close } = await openDatabase(dataDir, 256);
  await outdatePools(write, "FROM measures");
  await write.run("DELETE FROM measures");
  close();
}

test("a remap derives conversations of an older mapping version again, and shows their old turns and measures until then", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-remap-"));
  let ingest = await openIngest({ dataDir });
  await ingest.take(
    1,
    Array.from({ length: 300 }, (_, n) => said(n, `Words ${n}`)),
  );
  await ingest.take(2, [said(1, "Theirs")]);
  await ingest.intake.drain();
  await ingest.close();
  await ageReadings(dataDir);
  ingest = await openIngest({ dataDir });
  const { store } = ingest;
  await store.loader.drain();
  const counted = async (project: number) => Map.groupBy(await ingest.traces(project), ({ turns }) => turns);
  expect([...(await counted(1)).keys()]).toEqual([0]);
  expect(await store.reader.remap(1, false)).toBe(300);
  const turns = new Set<number | null>();
  await until("all conversations are derived again", async () => {
    for (const row of await ingest.traces(1)) turns.add(row.turns).add(row.isRead ? row.turns : null);
    return (await store.reader.remap(1, false)) === 0;
  });
  expect([...(await counted(1)).keys()]).toEqual([1]);
  expect([...turns].filter((count) => count === null)).toEqual([]);
  expect((await ingest.traces(1)).every(({ preview }) => preview!.text.startsWith("Words"))).toBe(true);
  expect([...(await counted(2)).keys()]).toEqual([0]);
  const request = { fromMs: 0, toMs: 4e12, bucketMs: 1e12, measures: undefined, agents: undefined, source: undefined };
  const samples = async (project: number) =>
    (await store.reader.metrics({ ...request, project }))!.find(({ measure }) => measure === "transcription_delay");
  expect(await samples(1)).toMatchObject({ samples: 300, p50: 250 });
  expect(await samples(2)).toBeUndefined();
  await ingest.close();
  rmSync(dataDir, { recursive: true });
});

test("a remap continues after a restart", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-remap-"));
  let ingest = await openIngest({ dataDir });
  await ingest.take(1, [said(1, "One"), said(2, "Two")]);
  await ingest.intake.drain();
  await ingest.close();
  await onIndex(dataDir, "UPDATE conversations SET turns = 9, reread = true, due_ms = coalesce(due_ms, 1)");
  ingest = await openIngest({ dataDir });
  await ingest.store.loader.drain();
  expect((await ingest.traces(1)).map(({ turns }) => turns)).toEqual([1, 1]);
  await ingest.close();
  rmSync(dataDir, { recursive: true });
});
