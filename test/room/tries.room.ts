import { afterAll, beforeAll, expect, test } from "vitest";
import { type MediaServerProcess, startMediaServer } from "../support/room/media-server.ts";
import { startNodeWorker, type Worker } from "../support/room/workers.ts";
import { roomConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let media: MediaServerProcess;
let server: TestServer;
let worker: Worker;

beforeAll(async () => {
  [media, server] = await Promise.all([startMediaServer(), startServer()]);
  worker = await startNodeWorker("test/support/room/worker.ts", { media, svc: server });
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
  await media?.stop();
});

const tryOf = async (config: { agentName: string; url?: string }, apiSecret = media.apiSecret) => {
  const { url = media.url, agentName } = config;
  const metadata = JSON.stringify({ behavior: "answers" });
  const ids = await roomConnection(server.client, { ...media, url, apiSecret }, { agentName, metadata });
  const tried = await server.client.connections.try(ids, { timeoutMs: 60_000 });
  if (process.env.SHOW) console.log(JSON.stringify(tried, null, 1));
  return { tried, steps: tried.steps.map(({ step, result }) => `${step} ${result}`) };
};

test("a try in a room has the agent's words from its own transcription", async () => {
  const { tried, steps } = await tryOf({ agentName: "hotel" });
  expect(tried).toMatchObject({ result: "works", endingReason: null });
  expect(steps.slice(0, 3)).toEqual(["prepare done", "connect done", "greeting done"]);
  expect(tried.turns[0]).toMatchObject({ role: "agent", text: "Hello, hotel Aurora speaking." });
  expect(tried.sound!.agentSpeechMs).toBeGreaterThan(500);
});

test("a try distinguishes a missing worker, a wrong key and a missing media server", async () => {
  const missing = await tryOf({ agentName: "nobody" });
  expect(missing.tried).toMatchObject({ result: "fails", endingReason: "worker_missing", endedBy: "outside" });
  expect(missing.steps.slice(0, 2)).toEqual(["prepare done", "connect failed"]);
  const refused = await tryOf({ agentName: "hotel" }, "another-secret-of-thirty-two-characters");
  expect(refused.tried).toMatchObject({ result: "fails", endingReason: "credential_rejected" });
  const nowhere = await tryOf({ agentName: "hotel", url: "ws://127.0.0.1:9" });
  expect(nowhere.tried).toMatchObject({ result: "fails", endingReason: "media_unreachable" });
  expect(nowhere.steps.slice(0, 2)).toEqual(["prepare done", "connect failed"]);
});
