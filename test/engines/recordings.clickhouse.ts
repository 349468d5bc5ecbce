import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databasesOf } from "../support/engine.ts";
import { type ObjectStore, openObjectStore } from "../support/object-store.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { send } from "../support/request.ts";
import { unreachedSimulation } from "../support/runs.ts";
import { keySettings, newSecret } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const SPOKEN = recordedWav(1_000, [{ fromMs: 0, toMs: 500, level: 0.5 }], []);
const KEY = newSecret();

let store: ObjectStore;
let folders: string[];
beforeAll(async () => {
  store = await openObjectStore();
  folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "svc-spec-")));
});
afterAll(() => {
  store.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts a process on its own folder. All processes use the same databases. */
async function start(process: number): Promise<TestServer> {
  const keys = keySettings({ adminKey: newSecret(), projectKey: KEY });
  const settings = { ...(await databasesOf(folders[0]!)), ...store.settings, ...keys };
  return startServer({ dataDir: folders[process]!, settings, bucketPace: { moveEveryMs: 100 } });
}

const listen = (server: TestServer, simulationId: string) =>
  send(server.url, { method: "GET", path: `/v1/simulations/${simulationId}/recording`, key: KEY });

test("a recording that waits in the folder of its process survives a restart, and all processes answer it afterwards", async () => {
  const other = await start(1);
  let server = await start(0);
  store.goAway();
  const simulationId = await unreachedSimulation(server.client);
  await server.keepRecording({ projectId: server.project.id, simulationId, bytes: SPOKEN });
  expect((await listen(server, simulationId)).status).toBe(200);
  expect((await listen(other, simulationId)).status).toBe(503);
  await server.close();
  await store.comeBack();
  server = await start(0);
  const heard = await until("the other process answers it", async () => {
    const reply = await listen(other, simulationId);
    return reply.status === 200 && reply;
  });
  expect(heard.bytes.equals(SPOKEN)).toBe(true);
  await server.close();
  await other.close();
});
