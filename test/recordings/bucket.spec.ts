import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkDataFolder } from "@svc/server/data-folder";
import { createBlobBucket } from "../../packages/server/src/stores/blobs/blob-bucket.ts";
import { createS3Client } from "../../packages/server/src/stores/blobs/s3-client.ts";
import { readConfig } from "@svc/server";
import { openCuttingProxy } from "../support/cutting-proxy.ts";
import { databasesOf, IS_SHARED, needsStoreFile, needsTraceFiles, recordingsFolderOf } from "../support/engine.ts";
import { type ObjectStore, openObjectStore } from "../support/object-store.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { expectRefusal, send } from "../support/request.ts";
import { unreachedSimulation } from "../support/runs.ts";
import { keySettings, keysIn } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const SPOKEN = recordedWav(1_000, [{ fromMs: 0, toMs: 500, level: 0.5 }], [{ fromMs: 600, toMs: 900, level: 0.25 }]);
const KEYS = keySettings();
const OLD = "recordings/an-old-object";
const casesOf = drawsOfCases();

let dataDir: string;
let store: ObjectStore;
let server: TestServer;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-bucket-"));
  store = await openObjectStore();
});
afterEach(async () => {
  await server?.stop();
  store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(settings: Record<string, string> = store.settings, sweptAgeMs?: number): Promise<void> {
  const bucketPace = { moveEveryMs: 100, ...(sweptAgeMs !== undefined && { sweptAgeMs }) };
  server = await startServer({ dataDir, settings: { ...KEYS, ...settings }, bucketPace });
}

async function restart(settings?: Record<string, string>, sweptAgeMs?: number): Promise<void> {
  await server.stop();
  await start(settings, sweptAgeMs);
}

/** Keeps the recording of a new simulation and returns the simulation's id. */
async function keep(bytes = SPOKEN): Promise<string> {
  const simulationId = await unreachedSimulation(server.client);
  await server.keepRecording({ projectId: server.project.id, simulationId, bytes });
  return simulationId;
}

const listen = (simulationId: string, headers: Record<string, string> = {}, { url } = server) =>
  send(url, {
    method: "GET",
    path: `/v1/simulations/${simulationId}/recording`,
    key: keysIn(KEYS).projectKey,
    headers,
  });

async function expectWhole(simulationId: string): Promise<void> {
  const { status, bytes } = await listen(simulationId);
  expect([status, bytes.equals(SPOKEN)]).toEqual([200, true]);
}

const files = () =>
  readdirSync(recordingsFolderOf(dataDir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const condition = async () =>
  (await server.admin.conditions.list()).conditions.find(({ code }) => code === "recording_store_unavailable");
const moved = () => until("the folder is empty", async () => files().length === 0 && (await condition()) === undefined);

test("a recording is one object with the file's bytes, and a part of it is answered without the rest", async () => {
  await start();
  const simulationId = await keep();
  const [name, ...more] = await store.names();
  expect([name, more, files()]).toEqual([expect.stringMatching(/^recordings\/[\da-f-]{36}$/), [], []]);
  expect(await store.bytesOf(name!)).toEqual(SPOKEN);
  const { status, bytes } = await listen(simulationId, { range: "bytes=44-1043" });
  expect([status, bytes]).toEqual([206, SPOKEN.subarray(44, 1_044)]);
  await restart();
  await expectWhole(simulationId);
});

test("while the object store is unreachable, recordings wait in the data folder, others are 503, and all is whole again later", async () => {
  await start();
  const early = await keep();
  store.goAway();
  expect(expectRefusal(await listen(early), "unavailable").message).toMatch(/object store .* does not answer/);
  expect(await server.client.recordings.ofSimulation({ simulationId: early })).toMatchObject({
    recording: { state: "kept", bytes: SPOKEN.length },
  });
  const late = await keep();
  expect(files()).toHaveLength(1);
  await expectWhole(late);
  expect(await condition()).toMatchObject({ degrades: true, needsAction: true });
  await store.comeBack();
  await moved();
  expect(await store.names()).toHaveLength(2);
  for (const simulationId of [early, late]) await expectWhole(simulationId);
});

test("a recording that waits in the data folder is still there after a restart while the object store is unreachable", async () => {
  await start();
  store.goAway();
  const simulationId = await keep();
  await restart();
  await expectWhole(simulationId);
  await store.comeBack();
  await moved();
  await expectWhole(simulationId);
});

test("an upload that is cut short is sent again, and leaves one whole object", async () => {
  const proxy = await openCuttingProxy(Number(new URL(store.endpoint).port));
  await start({ ...store.settings, SVC_S3_ENDPOINT: proxy.endpoint });
  proxy.cutAfterBytes = 20_000;
  const simulationId = await unreachedSimulation(server.client);
  const kept = server.keepRecording({ projectId: server.project.id, simulationId, bytes: SPOKEN });
  await until("an upload was cut", () => proxy.cuts > 0);
  proxy.cutAfterBytes = undefined;
  await kept;
  const names = await store.names();
  expect([names.length, files()]).toEqual([1, []]);
  expect(await store.bytesOf(names[0]!)).toEqual(SPOKEN);
  await expectWhole(simulationId);
  proxy.close();
});

test("recordings of the data folder move into the bucket, and a start without the bucket's settings loses none", async (context) => {
  needsTraceFiles(context);
  await start({});
  const simulationId = await keep();
  expect(files()).toHaveLength(1);
  await restart();
  await moved();
  expect(await store.names()).toHaveLength(1);
  await expectWhole(simulationId);

  await restart({});
  expect(expectRefusal(await listen(simulationId), "unavailable").message).toMatch(/Set SVC_S3_ENDPOINT/);
  await restart();
  await expectWhole(simulationId);
});

test("the check of a stopped folder does not miss recordings that are in a bucket", async (context) => {
  needsStoreFile(context);
  await start();
  await keep();
  await server.stop();
  const check = (await checkDataFolder(dataDir, KEYS)).find(({ name }) => name === "recordings");
  expect(check).toMatchObject({
    state: "ok",
    finding: expect.stringMatching(/^0 files .*; 1 more in an object store/),
  });
});

test("the deletion of a conversation removes the object, even when the object store was unreachable at the request", async () => {
  await start();
  const simulationId = await keep();
  const { traceId } = await until("the simulation has ended", async () => {
    const { simulation } = await server.client.simulations.get({ simulationId });
    return simulation.endedAt !== null && simulation.traceId !== null && simulation;
  });
  await until("the conversation is readable", () => server.client.traces.get({ traceId: traceId! }));
  store.goAway();
  await expect(server.client.traces.delete({ traceId: traceId! })).rejects.toMatchObject({ code: "unavailable" });
  await store.comeBack();
  await until("the object is gone", async () => (await store.names()).length === 0);
  await until(
    "the row is gone",
    async () => (await server.client.recordings.ofSimulation({ simulationId })).recording === null,
  );
});

test("a start removes old objects that no recording names, and no younger ones, and marks no recording as lost", async () => {
  await start();
  const [kept, without] = [await keep(), await keep()];
  const [lost] = await store.names();
  await store.put(OLD, SPOKEN);
  const oldMs = Date.now() + 1_000;
  await store.put("other-data/of-the-bucket", SPOKEN);
  await restart();
  await moved();
  expect(await store.names()).toContain(OLD);

  await until("the object is old by whole seconds, which the times of objects have", () => Date.now() > oldMs);
  await restart(store.settings, 0);
  await until("the old object is gone", async () => !(await store.names()).includes(OLD));
  expect(await store.names()).toHaveLength(3);
  for (const simulationId of [kept, without]) await expectWhole(simulationId);

  await store.remove(lost!);
  await restart();
  const replies = await Promise.all([kept, without].map((simulationId) => listen(simulationId)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 404]));
  for (const simulationId of [kept, without]) {
    const { recording } = await server.client.recordings.ofSimulation({ simulationId });
    expect(recording).toMatchObject({ state: "kept", problem: null });
  }
});

const wrongSettings: [string, Record<string, string>, RegExp, string][] = [
  [
    "an unknown key",
    { SVC_S3_ACCESS_KEY_ID: "UNKNOWN" },
    /403 InvalidAccessKeyId|404 XAdminUserNotFound/,
    "SVC_S3_ACCESS_KEY_ID",
  ],
  ["a wrong secret", { SVC_S3_SECRET_ACCESS_KEY: "guess" }, /403 SignatureDoesNotMatch/, "SVC_S3_SECRET_ACCESS_KEY"],
  ["a missing bucket", { SVC_S3_BUCKET: "no-such-bucket" }, /404 NoSuchBucket/, "SVC_S3_BUCKET"],
  ["a wrong address", { SVC_S3_ENDPOINT: "http://127.0.0.1:9" }, /127.0.0.1:9 could not be reached/, "SVC_S3_ENDPOINT"],
];
test.each(casesOf(wrongSettings, 2))(
  "with %s the log says the remedy without a secret, and recordings wait for it",
  async (_, wrong, message, setting) => {
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const settings: Record<string, string> = { ...store.settings, SVC_S3_SECRET_ACCESS_KEY: "S3RVER", ...wrong };
    await start({ ...settings, LOG_LEVEL: "error", LOG_FORMAT: "json" });
    await until("the condition", condition);
    const simulationId = await keep();
    const lines = written.mock.calls.map(([line]) => String(line));
    written.mockRestore();
    const line = lines.find((text) => text.includes("recording_store_unavailable"))!;
    const { msg, remedy } = JSON.parse(line) as { msg: string; remedy: string };
    expect(msg).toMatch(message);
    expect(remedy).toContain(setting);
    expect(lines.filter((text) => text.includes(`"${settings.SVC_S3_SECRET_ACCESS_KEY}"`))).toEqual([]);
    await expectWhole(simulationId);
    await restart();
    await moved();
    await expectWhole(simulationId);
  },
);

test("the listing of a bucket goes on over all its pages, and refuses an answer that is too large", async () => {
  const MODIFIED = "2026-01-01T00:00:00.000Z";
  const pageOf = (names: string[], next: string) =>
    `<ListBucketResult>${names.map((name) => `<Contents><Key>${name}</Key><LastModified>${MODIFIED}</LastModified></Contents>`).join("")}${next}</ListBucketResult>`;
  const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>1&amp;2+/=</NextContinuationToken>";
  const endless = "<IsTruncated>true</IsTruncated><NextContinuationToken>endless</NextContinuationToken>";
  const asked: (string | null)[] = [];
  const http = createServer((request, response) => {
    const token = new URL(request.url!, "http://bucket.test").searchParams.get("continuation-token");
    asked.push(token);
    if (token === null) return void response.end(pageOf(["recordings/1", "recordings/2"], more));
    if (token === "1&2+/=") return void response.end(pageOf(["recordings/3"], endless));
    response.end(Buffer.alloc(5 * 1_024 * 1_024));
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { recordingStore } = readConfig({ ...store.settings, SVC_S3_ENDPOINT: endpoint });
  const bucket = createBlobBucket(createS3Client(recordingStore!, () => {}));
  const seen: string[] = [];
  const reading = async () => {
    for await (const page of bucket.listOlderThan(0, AbortSignal.timeout(10_000))) seen.push(...page);
  };
  await expect(reading()).rejects.toMatchObject({ fault: "too_large" });
  expect([seen, asked]).toEqual([
    ["recordings/1", "recordings/2", "recordings/3"],
    [null, "1&2+/=", "endless"],
  ]);
  http.closeAllConnections();
  http.close();
});

test("two services on one database and one bucket play each other's recordings", async ({ skip }) => {
  skip(!IS_SHARED, "two services need a database that they share");
  await start();
  const other = mkdtempSync(join(tmpdir(), "svc-bucket-other-"));
  const settings = { ...KEYS, ...store.settings };
  const second = await startServer({ dataDir: other, settings, databases: await databasesOf(dataDir) });
  const simulationId = await keep();
  const { status, bytes } = await listen(simulationId, {}, second);
  expect([status, bytes.equals(SPOKEN)]).toEqual([200, true]);
  await second.stop();
  rmSync(other, { recursive: true });
});
