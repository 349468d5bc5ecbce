import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeVoiceAgent, startFakeVoiceAgent } from "../support/calls/fake-voice-agent.ts";
import { played, startRun, versionsOf, voiceConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let agent: FakeVoiceAgent;

beforeAll(async () => {
  server = await startServer();
  agent = await startFakeVoiceAgent({
    answers(call) {
      call.say(0.7);
      call.onCallersTurn((turn) => {
        if (turn === 1) call.say(0.9);
        else call.socket.close(1000);
      });
    },
    garbage: ({ socket }) => socket.send("hello"),
    greets(call) {
      call.say(0.7);
      call.onCallersTurn(() => call.socket.close(1000));
    },
  });
});
afterAll(async () => {
  await server.stop();
  agent.stop();
});

async function callTo(behavior: string, lines: string[]) {
  const target = await voiceConnection(server.client, agent.urlOf(behavior));
  const scenario = lines.map((line) => `Says: ${line}`).join("\n");
  const testVersions = await versionsOf(server.client, [{ scenario, behaviors: ["ends the call"] }]);
  const run = await startRun(server.client, { ...target, testVersions, caller: "scripted" });
  const { simulations } = await played(server, run.id);
  return simulations[0]!;
}

describe("a simulation over a media stream", () => {
  test("is played to the agent's end, with the times of what the caller heard and without invented words", async () => {
    const simulation = await callTo("answers", ["I need a room.", "Thank you, goodbye."]);
    expect(simulation).toMatchObject({ status: "completed", endingReason: "agent_ended", endedBy: "agent" });
    expect(simulation.turns.map(({ role, text }) => [role, text])).toEqual([
      ["agent", null],
      ["caller", "I need a room."],
      ["agent", null],
      ["caller", "Thank you, goodbye."],
    ]);
    const times = simulation.turns.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)]);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times[1]! - times[0]!).toBeGreaterThan(600);
    expect(times[5]! - times[4]!).toBeGreaterThan(800);
    expect(simulation.verdict).toBe("passed");
    expect(agent.calls[0]!.messages[1]!.start!.customParameters).toMatchObject({ svc_simulation_id: simulation.id });
  });

  test("ends as the agent's error when the agent breaks the protocol", async () => {
    const simulation = await callTo("garbage", ["Hello?"]);
    expect(simulation).toMatchObject({ status: "failed", endingReason: "agent_error", endedBy: "agent" });
    expect(simulation.message).toMatch(/not JSON/);
  });
});

test("the recording of a call has both parties, and starts with the first frame of the call", async () => {
  const simulation = await callTo("greets", ["Goodbye."]);
  const { recording } = await server.client.recordings.ofSimulation({ simulationId: simulation.id });
  expect(recording).toMatchObject({ state: "kept", problem: null });
  const { bucketMs, channels } = recording!.waveform!;
  const [caller, agentSide] = channels.map(({ party, peaks }) => ({ party, atMs: firstSound(peaks) * bucketMs }));
  expect([caller!.party, agentSide!.party]).toEqual(["caller", "agent"]);
  const startedMs = Date.parse(recording!.startedAt!);
  const [greeting, answer] = simulation.turns.map(({ startedAt }) => Date.parse(startedAt) - startedMs);
  // Voice activity notices a start within some frames, and spoken words begin with a breath.
  expect(Math.abs(agentSide!.atMs - greeting!)).toBeLessThan(200);
  expect(Math.abs(caller!.atMs - answer!)).toBeLessThan(500);
});

const firstSound = (peaks: readonly number[]): number => peaks.findIndex((peak) => peak > 50);
