import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Simulation } from "@svc/contract";
import { createMediaServer, signToken } from "../../packages/server/src/runs/lines/room/media-server.ts";
import { childrenOf } from "../support/calls/processes.ts";
import { openFakePlatformA } from "../support/platform-a/fake.ts";
import { type MediaServerProcess, startMediaServer } from "../support/room/media-server.ts";
import { startTokenEndpoint, type TokenEndpoint } from "../support/room/token-endpoint.ts";
import { startNodeWorker, startPythonWorker, type Worker } from "../support/room/workers.ts";
import {
  endpointRoomConnection,
  roomConnection,
  settled,
  simulationsOf,
  startRun,
  versionsOf,
} from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

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
const WAIT_MS = 170_000;
/** A worker that has just started accepts all calls until it reports its load, which it does every 2.5 seconds. */
const LOAD_REPORT_MS = 6_000;

type Call = { agentName?: string; personas?: string[]; endpoint?: TokenEndpoint };

async function startCall(
  behavior: string,
  { agentName = "hotel", personas = [], endpoint }: Call = {},
): Promise<string> {
  const metadata = JSON.stringify({ behavior });
  const target = endpoint
    ? await endpointRoomConnection(server.client, media.url, endpoint)
    : await roomConnection(server.client, media, { agentName, metadata });
  const behaviors = ["The agent calls free_rooms."];
  const testVersions = await versionsOf(server.client, [{ scenario: SCENARIO, behaviors, mockTools: MOCKS, personas }]);
  return (await startRun(server.client, { ...target, testVersions, caller: "scripted" })).id;
}

async function callTo(behavior: string, call?: Call): Promise<Simulation> {
  const runId = await startCall(behavior, call);
  await settled(server.client, runId, WAIT_MS);
  return (await simulationsOf(server.client, runId))[0]!;
}

const wordsOf = ({ turns }: Simulation) => turns.filter(({ role }) => role === "agent").map(({ text }) => text);

/** Waits until the service has read the worker's spans, and prints the worker's own latencies beside the heard latencies. */
async function expectWorkersReading({ traceId }: Simulation): Promise<void> {
  const trace = await until(
    "the spans of the worker",
    async () => {
      const read = await server.client.traces.get({ traceId: traceId!, wait: 10 });
      return read.vocabulary === "platform_b" && read;
    },
    60_000,
  );
  const means = trace.measures.flatMap(({ name, provenance, summary: { n, mean } }) =>
    /latency|heard|yield|interruption/.test(name) ? [{ name, provenance, n, mean: mean && Math.round(mean) }] : [],
  );
  const facts = trace.spans.filter(({ name }) => name === "svc.heard.answer").map(({ attributes }) => attributes);
  console.log(`load ${loadavg()[0]!.toFixed(1)}`, JSON.stringify({ means, facts }));
}

describe("a simulation in a room", () => {
  test("a simulation in a room has the words of the agent's own transcription, mock tools by the dispatch's metadata, and the worker's spans", async () => {
    const simulation = await callTo("answers");
    expect(simulation).toMatchObject({ status: "completed", endedBy: "caller" });
    expect(wordsOf(simulation)).toEqual([
      "Hello, hotel Aurora speaking.",
      expect.stringMatching(/^We have a double room .* would you like\?$/),
      "Your room is booked. Goodbye!",
    ]);
    expect(simulation.toolCalls).toMatchObject([{ name: "free_rooms", mocked: true, result: { free: 3 } }]);
    await expectWorkersReading(simulation);
  });

  test("a simulation in a room works the same when a customer's token endpoint opens the room", async () => {
    const endpoint = await startTokenEndpoint(media, "hotel", { behavior: "answers" });
    const simulation = await callTo("answers", { endpoint });
    endpoint.stop();
    expect(simulation).toMatchObject({ status: "completed", endedBy: "caller" });
    expect(wordsOf(simulation)).toContain("Your room is booked. Goodbye!");
    expect(simulation.toolCalls).toMatchObject([{ name: "free_rooms", mocked: true, result: { free: 3 } }]);
  });

  test("a simulation in a room ends by the agent that leaves the room", async () => {
    expect(await callTo("leaves")).toMatchObject({ endingReason: "agent_ended", endedBy: "agent" });
  });

  test("a simulation in a room ends by the agent that is silent", async () => {
    // On a busy machine, the call is played up to three times. With a patient caller this would take longer than the spec may.
    const simulation = await callTo("silent", { personas: ["hurried"] });
    expect(simulation).toMatchObject({ endingReason: "agent_never_joined", endedBy: "agent" });
  });

  test("a simulation in a room ends by the agent whose process dies in the middle of the call", async () => {
    expect(await callTo("crashes")).toMatchObject({ endingReason: "agent_error", endedBy: "agent" });
  });

  test("a simulation in a room blames no agent when no worker is registered under its name", async () => {
    const simulation = await callTo("answers", { agentName: "nobody" });
    expect(simulation).toMatchObject({ endingReason: "worker_missing", endedBy: "outside", verdict: "errored" });
  });

  test("a simulation in a room blames no agent when its only worker is full", async () => {
    await callTo("leaves");
    await worker.stop();
    const env = { WORKER_LOAD: "0.9" };
    worker = await startNodeWorker("test/support/room/worker.ts", { media, svc: server, env });
    await delay(LOAD_REPORT_MS);
    const simulation = await callTo("answers");
    await worker.stop();
    worker = await startNodeWorker("test/support/room/worker.ts", { media, svc: server });
    expect(simulation).toMatchObject({ endingReason: "worker_full", endedBy: "outside", verdict: "errored" });
  });

  test("a simulation in a room leaves no room behind", async () => {
    const { default: rooms } = await import("livekit-server-sdk").then(({ RoomServiceClient }) => ({
      default: new RoomServiceClient(media.url.replace("ws", "http"), media.apiKey, media.apiSecret),
    }));
    expect(await rooms.listRooms()).toEqual([]);
  });

  test("a simulation in a room is played again when its media process is killed in the middle of the call", async () => {
    const runId = await startCall("answers");
    await until(
      "a turn of the agent",
      async () => {
        const { events } = await server.client.runs.events({ runId });
        return events.some(({ kind }) => kind === "turn");
      },
      60_000,
    );
    for (const pid of childrenOf(process.pid).filter(isMediaProcess)) process.kill(pid, "SIGKILL");
    await settled(server.client, runId, WAIT_MS);
    const [simulation] = await simulationsOf(server.client, runId);
    expect(simulation).toMatchObject({ status: "completed", endedBy: "caller" });
    expect(simulation!.attempt).toBeGreaterThan(1);
  });
});

test("a web call of platform_a is played in the room to which the platform's token admits the caller", async () => {
  const platform = await openFakePlatformA();
  platform.addAgent("agent_9", "Front desk", "voice");
  const other = await startServer({
    settings: { SVC_PLATFORM_A_BASE_URL: platform.url, SVC_PLATFORM_A_ROOM_URL: media.url.replace(/^ws/, "http") },
  });
  try {
    let calls = 0;
    // Each attempt of the simulation gets a room of its own, as on the platform.
    platform.state.webCall = {
      get access_token() {
        const room = `web-call-${++calls}`;
        void sendWorker(room).catch(() => undefined);
        return signToken(media, "caller", { room, roomJoin: true, canPublish: true, canSubscribe: true }, 600);
      },
    };
    const { agent } = await other.client.agents.register({ name: "Front desk" });
    const { connection } = await other.client.connections.create({
      agentId: agent.id,
      connectionType: "platform_a_web_call",
      config: { platformAAgentId: "agent_9" },
      credential: { apiKey: platform.apiKey },
    });
    const testVersions = await versionsOf(other.client, [{ scenario: SCENARIO, behaviors: ["no silence over 30 s"] }]);
    const target = { agentId: agent.id, connectionId: connection.id };
    const { id } = await startRun(other.client, { ...target, testVersions, caller: "scripted" });
    await settled(other.client, id, WAIT_MS);
    const [simulation] = await simulationsOf(other.client, id);
    expect(simulation).toMatchObject({ status: "completed", endedBy: "caller", verdict: "passed" });
    expect(wordsOf(simulation!).length).toBeGreaterThanOrEqual(2);
  } finally {
    await other.stop();
    await platform.close();
  }
});

/** Sends the worker to a room when the caller is there, because the worker greets the room as soon as it has joined. */
async function sendWorker(room: string): Promise<void> {
  await until("the caller is in the room", async () => (await participantsOf(room)).length > 0, 60_000);
  const metadata = JSON.stringify({ behavior: "answers" });
  await createMediaServer(media.url, media, "allow").dispatch(room, "hotel", metadata, AbortSignal.timeout(WAIT_MS));
}

async function participantsOf(room: string): Promise<unknown[]> {
  const answer = await fetch(`${media.url.replace(/^ws/, "http")}/twirp/livekit.RoomService/ListParticipants`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${signToken(media, "spec", { room, roomAdmin: true }, 60)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ room }),
  });
  return ((await answer.json()) as { participants: unknown[] }).participants;
}

const isMediaProcess = (pid: number): boolean =>
  execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).includes("calls/media/process");

const PYTHON = process.env.SVC_TEST_PYTHON;
test.skipIf(PYTHON === undefined)("a worker in Python answers calls too: set SVC_TEST_PYTHON", async () => {
  const python = await startPythonWorker(PYTHON!, "test/support/room/worker.py", { media, svc: server });
  try {
    const simulation = await callTo("answers", { agentName: "hotel-python" });
    expect(simulation).toMatchObject({ status: "completed", endedBy: "caller" });
    expect(wordsOf(simulation)).toEqual([
      "Hello, hotel Aurora speaking.",
      "We have three free rooms.",
      "Your room is booked. Goodbye!",
    ]);
    expect(simulation.toolCalls).toMatchObject([{ name: "free_rooms", mocked: true, result: { free: 3 } }]);
    await expectWorkersReading(simulation);
  } finally {
    await python.stop();
  }
});
