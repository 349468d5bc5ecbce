import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeVoiceAgent, startFakeVoiceAgent } from "../support/calls/fake-voice-agent.ts";
import { settled, simulationsOf, startRun, versionsOf, voiceConnection } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const WAIT_MS = 100_000;

let server: SharedServer;
let agent: FakeVoiceAgent;

beforeAll(async () => {
  server = await shareServer();
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
  // On a busy machine, a call with unreliable times is repeated up to twice.
  await settled(server.client, run.id, WAIT_MS);
  return (await simulationsOf(server.client, run.id))[0]!;
}

describe("a simulation over a media stream", () => {
  test("a simulation over a media stream is played to the agent's end, with the times of what the caller heard and without invented words", async () => {
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
    const { measures, speech } = await server.client.traces.get({ traceId: simulation.traceId!, wait: 20 });
    const heard = measures.find(({ name }) => name === "heard_response_latency")!;
    const stretches = speech.map(({ role, provenance }) => `${role} ${provenance}`);
    if (heard.reason === null) {
      expect(heard).toMatchObject({ provenance: "heard", summary: { n: 1 } });
      expect(stretches).toEqual(["agent heard", "user heard", "agent heard", "user heard"]);
    } else {
      // On a busy machine, the times of all attempts can be unreliable. The measure then says so, and a gap may cut a stretch of
      // speech in two.
      expect(heard.reason).toContain("the times of the call are not reliable");
      expect(new Set(stretches)).toEqual(new Set(["agent heard", "user heard"]));
    }
  });

  test("a simulation over a media stream ends as the agent's error when the agent breaks the protocol", async () => {
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
  // The detector notices a start of speech a few frames late, and spoken words begin with a breath.
  expect(Math.abs(agentSide!.atMs - greeting!)).toBeLessThan(200);
  expect(Math.abs(caller!.atMs - answer!)).toBeLessThan(500);
});

const firstSound = (peaks: readonly number[]): number => peaks.findIndex((peak) => peak > 50);
