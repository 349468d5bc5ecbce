import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { allOperations } from "@svc/contract";
import { expect } from "vitest";
import { moveDataFolder } from "../../packages/server/src/operations/data-folder/data-folder.ts";
import { requestsOf } from "./captures.ts";
import { clickHouseOf, databaseOf } from "./engine.ts";
import { useEveryOperation } from "./every-operation.ts";
import { requestOf, spanOf, traceIdOf } from "./ingest.ts";
import { INPUTS, type OperationName } from "./operation-inputs.ts";
import { askOf } from "./operation-request.ts";
import { attribute, encodeProtobuf } from "./otlp.ts";
import { recordedWav } from "./recorded-wav.ts";
import { type Ask, send } from "./request.ts";
import { startServer, type TestServer } from "./server.ts";
import { openWorld } from "./world.ts";
import { keySettings } from "./secret.ts";

const SETS = [
  "js-1.9.0-voice",
  "py-1.8.9-voice",
  "pipecat-1.14.0-call",
  "gen-ai-openai-2.4b0-text",
  "js-1.9.0-voice-json",
];
const SOUND = recordedWav(500, [{ fromMs: 0, toMs: 400, level: 0.5 }], []);
const DELETED = 77;

/** Operations whose answers do not come from the stored data alone, each with the reason. */
const OTHER_ANSWERS: Record<string, string> = {
  "service.get": "it shows the settings and the rate limit of this process",
  "conditions.list": "conditions are of a process",
  "changes.stream": "it does not end",
  "exports.file": "the rows of a Parquet file have another order",
  "identity.get": "it shows the last use of the key",
  "keys.list": "it shows the last use of each key",
  "monitoring.list": "the service polls on, and the platform of this spec has ended",
};

/** A request without a period would get an answer about the time before the request, which differs between two requests. */
const DAY_MS = 24 * 60 * 60 * 1000;
const PERIOD = {
  from: new Date(Date.now() - 6 * DAY_MS).toISOString(),
  to: new Date(Date.now() + DAY_MS).toISOString(),
};

/** The trace of a conversation with a recording. */
export const RECORDED = traceIdOf(78);

type Asks = { name: string; ask: Ask & { key: string } }[];

/** A data folder with rows of every operation, whose service has stopped. */
export type FullFolder = Awaited<ReturnType<typeof fillFolder>>;

/** Fills a new data folder inside `folder`, and remembers the answers of its service. */
export async function fillFolder(folder: string) {
  const dataDir = join(folder, "data");
  const world = await openWorld((options) => startServer({ ...options, dataDir, isEmbedded: true }));
  const { client, url } = world;
  await useEveryOperation(world);
  for (const body of SETS.flatMap(requestsOf)) await client.traces.ingest(body);
  const spans = (trace: number) =>
    [1, 2].map((n) => spanOf(trace, n, { attributes: [attribute("lk.job_id", `job-${trace}`)] }));
  for (const trace of [DELETED, 78])
    await client.traces.ingest({
      body: encodeProtobuf(requestOf(spans(trace))),
      contentType: "application/x-protobuf",
    });
  await client.traces.ingest({
    body: encodeProtobuf(requestOf([...spans(DELETED + 100), ...spans(DELETED + 101)])),
    contentType: "application/x-protobuf",
  });
  await world.conversationsRead();
  for (const trace of [DELETED, DELETED + 100]) await client.traces.delete({ traceId: traceIdOf(trace) });
  await world.keepRecording({ projectId: world.project.id, simulationId: RECORDED, bytes: SOUND });
  await world.conversationsRead();
  const asks = await asksOf(world);
  await delay(1_000);
  const before = await answersOf(url, asks);
  await world.stop();
  const secrets = {
    SVC_ENCRYPTION_KEY: readFileSync(join(dataDir, "encryption-key"), "utf8").trim(),
    SVC_AUTH_SECRET: readFileSync(join(dataDir, "auth-secret"), "utf8").trim(),
  };
  const settings = {
    ...keySettings(world),
    SVC_TRUST_PROXY: "true",
    SVC_OPEN_SIGNUP: "true",
  };

  const startOn = ({ recordingsTo }: Target): Promise<TestServer> =>
    startServer({ dataDir: recordingsTo, settings: { ...secrets, ...settings } });

  const startOnFolder = (path: string, own: Record<string, string> = {}): Promise<TestServer> =>
    startServer({ dataDir: path, isEmbedded: true, settings: { ...settings, ...own } });

  return {
    dataDir,
    secrets,
    before,
    startOn,
    startOnFolder,
    newTarget: () => newTarget(folder),
    move: (target: Target, source = dataDir, environment: Record<string, string> = secrets) =>
      moveDataFolder(source, target, environment, () => undefined),
    /** Compares each answer of a started service with the answer that the folder's first service gave, and stops the started service. */
    async expectEqualAnswers(service: TestServer): Promise<void> {
      const after = await answersOf(service.url, asks);
      await service.stop();
      for (const [name, answer] of before) expect.soft(after.get(name), name).toBe(answer);
    },
  };
}

/** Returns a request for every GET operation, and one for every conversation. */
async function asksOf(world: Awaited<ReturnType<typeof openWorld>>) {
  expect(allOperations.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(OTHER_ANSWERS)));
  const all: Asks = [];
  // Reads of recordings and keys add lines to the audit.
  const beforeReads = { to: new Date().toISOString() };
  for (const { name, operation } of allOperations) {
    if (operation.method !== "GET" || operation.credential === "public" || name in OTHER_ANSWERS) continue;
    if (operation.tag === "Accounts" && operation.credential !== "any") continue;
    const input = await INPUTS[name as OperationName](world);
    const period = { ...PERIOD, ...(name.startsWith("audit.") && beforeReads) };
    const ask = askOf(operation, { project: world.project.id, projectId: world.project.id, ...period, ...input });
    all.push({ name, ask: { ...ask, key: world.adminKey } });
  }
  const { traces } = await world.client.traces.list({ pageSize: 200 });
  for (const { traceId } of traces)
    for (const path of [`/v1/traces/${traceId}`, `/v1/traces/${traceId}/grades`])
      all.push({ name: path, ask: { method: "GET", path, key: world.projectKey } });
  return all;
}

async function answersOf(url: string, asks: Asks): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const { name, ask } of asks) {
    let reply = await send(url, ask);
    // The answer is 503 while the recording moves to the object store.
    for (let repeats = 0; reply.status === 503 && repeats < 20; repeats++) {
      await delay(100);
      reply = await send(url, ask);
    }
    const { status, text } = reply;
    // An answer may name the address of its service.
    // While a service runs, it evaluates the windows of alert rules that end.
    const stable = text.replaceAll(url, "http://service").replaceAll(/"evaluatedTo":"[^"]*"/g, '"evaluatedTo":"…"');
    answers.set(`${name} ${ask.path}`, `${status} ${stable}`);
  }
  return answers;
}

/** Returns addresses of empty databases, and a folder for the service on them. */
async function newTarget(folder: string) {
  const home = mkdtempSync(join(folder, "target-"));
  return { databaseUrl: (await databaseOf(home))!, clickHouseUrl: (await clickHouseOf(home))!, recordingsTo: home };
}
export type Target = Awaited<ReturnType<typeof newTarget>>;
