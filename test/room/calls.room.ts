import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MediaServerProcess, startMediaServer } from "../support/room/media-server.ts";
import { startNodeWorker, type Worker } from "../support/room/workers.ts";
import { roomConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
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

const SCENARIO = "Says: I need a double room for Friday, please.\nSays: Yes, please book it. Goodbye.";
const MOCKS = [{ tool: "free_rooms", answer: { free: 3 } }];

async function callTo(behavior: string, more: { scenario?: string; agentName?: string } = {}) {
  const { scenario = SCENARIO, agentName = "hotel" } = more;
  const metadata = JSON.stringify({ behavior });
  const target = await roomConnection(server.client, media, { agentName, metadata });
  const testVersions = await versionsOf(server.client, [
    { scenario, behaviors: ["The agent calls free_rooms."], mockTools: MOCKS },
  ]);
  const run = await startRun(server.client, { ...target, testVersions, caller: "scripted" });
  await settled(server.client, run.id, 150_000);
  return (await simulationsOf(server.client, run.id))[0]!;
}

describe("a simulation in a room", () => {
  test("has the words that the agent's own transcription brings, and the mock tools of the dispatch's metadata", async () => {
    const simulation = await callTo("answers");
    if (process.env.SHOW) console.log(JSON.stringify(simulation, null, 1), worker.log());
    expect(simulation).toMatchObject({ status: "completed", endedBy: "caller" });
    expect(simulation.turns.filter(({ role }) => role === "agent").map(({ text }) => text)).toEqual([
      "Hello, hotel Aurora speaking.",
      expect.stringMatching(/^We have a double room .* would you like\?$/),
      "Your room is booked. Goodbye!",
    ]);
    expect(simulation.toolCalls).toMatchObject([{ name: "free_rooms", mocked: true, result: { free: 3 } }]);
  });
});
