import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@svc/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { type ServiceContext, openContext } from "../../packages/server/src/context.ts";
import { newId } from "../../packages/server/src/base/ids.ts";
import { insertOrganization } from "../../packages/server/src/tenancy/organizations/store.ts";
import { insertProject } from "../../packages/server/src/tenancy/projects/store.ts";
import { openRecordings, type Recordings } from "../../packages/server/src/voice/recordings/open.ts";
import { databaseOf, IS_SHARED, needsStoreFile, SHARED_SECRETS } from "../support/engine.ts";
import { silent } from "../support/ingest.ts";
import { type ObjectStore, openObjectStore } from "../support/object-store.ts";
import { recordedWav } from "../support/recorded-wav.ts";

let dataDir: string;
let context: ServiceContext;
let recordings: Recordings;
let projectId: string;
let bucket: ObjectStore | undefined;

describe.each(["the data folder", "a bucket"])("recordings in %s", (place) => {
  beforeEach(async () => {
    bucket = place === "a bucket" ? await openObjectStore() : undefined;
    dataDir = mkdtempSync(join(tmpdir(), "svc-recordings-"));
    await start();
    const organization = await insertOrganization(context.db, "Acme");
    projectId = (await insertProject(context.db, organization.id, { name: "Default" })).id;
  });
  afterEach(async () => {
    await stop();
    bucket?.close();
    rmSync(dataDir, { recursive: true });
  });

  async function start(): Promise<void> {
    const databaseUrl = await databaseOf(dataDir);
    const config = {
      ...readConfig({ SVC_DATA_DIR: dataDir, ...SHARED_SECRETS, ...bucket?.settings }),
      databases: databaseUrl === undefined ? undefined : { databaseUrl, clickHouseUrl: "", hasFolder: true },
    };
    context = await openContext(config, silent as never, createConditions(silent));
    recordings = await openRecordings(context, { eraser: undefined as never });
  }

  async function stop(): Promise<void> {
    await recordings.close();
    await context.close();
  }

  const SPOKEN = recordedWav(1_000, [{ fromMs: 0, toMs: 500, level: 0.5 }], [{ fromMs: 600, toMs: 900, level: 0.25 }]);

  /** Returns a file that a media process has written. */
  function written(bytes: Buffer = SPOKEN): string {
    const file = recordings.newFile();
    writeFileSync(file, bytes);
    return file;
  }

  const rows = () => context.db.selectFrom("recordings").selectAll().execute();
  const pathOf = (name: string) => join(dataDir, "recordings", name);

  async function blobs(): Promise<string[]> {
    const entries = readdirSync(join(dataDir, "recordings"), { withFileTypes: true }).filter((entry) => entry.isFile());
    return [...entries.map(({ name }) => name), ...((await bucket?.names()) ?? [])];
  }
  async function bytesIn(): Promise<number> {
    const files = readdirSync(join(dataDir, "recordings"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    const objects = await Promise.all(((await bucket?.names()) ?? []).map((name) => bucket!.bytesOf(name)));
    return [...files, ...objects].reduce((sum, { length }) => sum + length, 0);
  }

  test("a recording is kept with its bytes, its duration and the peaks of both parties", async () => {
    const simulationId = newId("sim");
    const kept = await recordings.keep({ projectId, simulationId, file: written() });
    expect(kept).toEqual({ kept: true, durationMs: 1_000, bytes: SPOKEN.length });
    const [row] = await rows();
    expect(bucket ? await bucket.bytesOf(row!.blob!) : readFileSync(pathOf(row!.blob!))).toEqual(SPOKEN);
    const { bucketMs, channels } = JSON.parse(row!.waveform!);
    const bar = (level: number, fromMs: number, toMs: number) =>
      Array.from({ length: 50 }, (_, at) => (at * 20 >= fromMs && at * 20 < toMs ? level : 0));
    expect(bucketMs).toBe(20);
    expect(channels).toEqual([
      { party: "caller", peaks: bar(500, 0, 500) },
      { party: "agent", peaks: bar(250, 600, 900) },
    ]);
  });

  test("the recording of a later attempt replaces the earlier one, and a start keeps exactly the stored files", async () => {
    const simulationId = newId("sim");
    await recordings.keep({ projectId, simulationId, file: written(recordedWav(200, [], [])) });
    await recordings.keep({ projectId, simulationId, file: written() });
    const [row, ...more] = await rows();
    expect([row!.bytes, more, await blobs()]).toEqual([SPOKEN.length, [], [row!.blob]]);

    const unfinished = written();
    writeFileSync(pathOf("without-a-row"), "RIFF");
    await stop();
    await start();
    expect([existsSync(unfinished), await blobs()]).toEqual([false, [row!.blob]]);
  });

  test("a start finds the recording whose file is missing", async ({ skip }) => {
    skip(IS_SHARED, "another process may have the file");
    skip(bucket !== undefined, "a start does not look for each object of a bucket");
    const simulationId = newId("sim");
    await recordings.keep({ projectId, simulationId, file: written() });
    const [row] = await rows();
    rmSync(pathOf(row!.blob!));
    await stop();
    await start();
    expect(await rows()).toMatchObject([{ blob: null, problem: "lost", conversation: simulationId }]);
  });

  test.each([
    ["the writer met a full disk", { bytes: SPOKEN, writeError: "ENOSPC" }, "disk_full"],
    ["the writer met a broken disk", { bytes: SPOKEN, writeError: "EIO" }, "not_written"],
    ["the file is empty", { bytes: Buffer.alloc(0) }, "unreadable"],
    ["the file is no sound", { bytes: Buffer.from("<html>") }, "unreadable"],
  ])("a recording is refused with its problem, and leaves no byte, when %s", async (_, { bytes, ...more }, problem) => {
    const kept = await recordings.keep({ projectId, simulationId: newId("sim"), file: written(bytes), ...more });
    expect(kept).toEqual({ kept: false, problem });
    expect(await rows()).toMatchObject([{ blob: null, problem }]);
    expect(await bytesIn()).toBe(0);
  });

  test("a call that recorded nothing has no recording and no problem", async () => {
    const missing = await recordings.keep({ projectId, simulationId: newId("sim"), file: recordings.newFile() });
    expect([missing, await rows()]).toEqual([{ kept: false, problem: null }, []]);
  });

  test("a recording is refused when the store is full", async (ctx) => {
    needsStoreFile(ctx);
    const { engine } = context.relational.embedded!;
    const pages = engine.pragma("page_count", { simple: true });
    engine.pragma(`max_page_count = ${pages}`);
    const refused: string[] = [];
    for (let count = 0; count < 20; count++) {
      const long = recordedWav(8_000, [{ fromMs: 0, toMs: 8_000, level: 1 }], []);
      const kept = await recordings.keep({ projectId, simulationId: newId("sim"), file: written(long) });
      if (!kept.kept) refused.push(kept.problem!);
    }
    expect(new Set(refused)).toEqual(new Set(["disk_full"]));
    expect(await blobs()).toHaveLength(20 - refused.length);
  });

  test("erasing a conversation leaves no byte of its recording, and no byte of another project is touched", async () => {
    const [erased, old, kept] = [newId("sim"), newId("sim"), newId("sim")];
    for (const simulationId of [erased, old, kept]) await recordings.keep({ projectId, simulationId, file: written() });
    await recordings.texts.eraseConversations(newId("prj"), [erased]);
    expect(await blobs()).toHaveLength(3);
    await recordings.texts.eraseConversations(projectId, [erased, "a-trace"]);
    expect((await rows()).map(({ conversation }) => conversation)).toEqual([old, kept]);

    const db = context.db.updateTable("recordings").set({ recorded_at: "2020-01-01T00:00:00.000Z" });
    await db.where("conversation", "=", old).execute();
    await recordings.texts.eraseBefore("2020-01-02T00:00:00.000Z");
    expect((await rows()).map(({ conversation }) => conversation)).toEqual([kept]);
    await recordings.texts.eraseConversations(projectId, [kept]);
    expect(await bytesIn()).toBe(0);
  });
});
