import type { EndingReason, Simulation } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeMulaw } from "../../../packages/server/src/voice/audio/mulaw.ts";
import { seeded } from "../../../packages/server/src/base/seeded.ts";
import { type FakeCall, type FakeVoiceAgent, startFakeVoiceAgent } from "../../support/calls/fake-voice-agent.ts";
import { settled, simulationsOf, startRun, versionsOf, voiceConnection } from "../../support/runs.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const WAIT_MS = 280_000;

/** Sends two minutes of noise at once. */
function hiss(call: FakeCall): void {
  const next = seeded("hiss");
  const samples = Int16Array.from({ length: 120 * 8_000 }, () => (next() - 0.5) * 600);
  call.send({ event: "media", media: { payload: Buffer.from(encodeMulaw(samples)).toString("base64") } });
}

/** Sends messages without a pause, in portions that do not block this process. */
function flood({ socket }: FakeCall): void {
  const timer = setInterval(() => {
    for (let count = 0; count < 1_000; count++) socket.send('{"event":"ping"}');
  }, 5);
  socket.once("close", () => clearInterval(timer));
}

/** Sends sound without a pause, much faster than it would be played. */
function floodWithSound({ send, socket }: FakeCall): void {
  const second = Buffer.alloc(8_000, 0x55).toString("base64");
  const timer = setInterval(() => {
    for (let count = 0; count < 50; count++) send({ event: "media", media: { payload: second } });
  }, 5);
  socket.once("close", () => clearInterval(timer));
}

type Case = {
  behave: (call: FakeCall) => void;
  persona?: string;
  lines?: string[];
  reason: EndingReason;
  by: Simulation["endedBy"];
  check?: (simulation: Simulation) => void;
};

const secondsOf = ({ startedAt, endedAt }: Simulation["turns"][number]) =>
  (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;

const CASES: Record<string, Case> = {
  "speaks and hangs up": {
    behave(call) {
      call.say(0.7);
      call.onCallersTurn((turn) => (turn === 1 ? call.say(0.9) : call.socket.close(1000)));
    },
    lines: ["I need a room.", "No, thank you. Goodbye."],
    reason: "agent_ended",
    by: "agent",
    check: ({ turns }) => expect(turns.map(({ role }) => role)).toEqual(["agent", "caller", "agent", "caller"]),
  },
  "speaks until the caller has said everything": {
    behave(call) {
      call.say(0.7);
      call.onCallersTurn(() => call.say(0.9));
    },
    lines: ["I need a room.", "No, thank you. Goodbye."],
    reason: "persona_concluded",
    by: "caller",
    check({ turns, grades }) {
      expect(turns.map(({ role }) => role).join(" ")).toBe("agent caller agent caller agent");
      expect(grades.find(({ criterion }) => criterion === "Unanswered turns")).toMatchObject({ verdict: "passed" });
    },
  },
  "is interrupted and yields": {
    behave(call) {
      call.onCallersTurn(() => call.say(12));
      call.onCallersStart(() => call.send({ event: "clear" }));
    },
    persona: "interrupting",
    lines: ["Hello.", "Stop, please.", "Wait, one more thing.", "I have heard enough now.", "Goodbye."],
    reason: "persona_concluded",
    by: "caller",
    check: ({ turns }) =>
      expect(Math.min(...turns.filter(({ role }) => role === "agent").map(secondsOf))).toBeLessThan(6),
  },
  "never makes a sound": { behave: () => {}, persona: "hurried", reason: "agent_never_joined", by: "agent" },
  "greets and stays silent": {
    behave: (call) => call.say(0.7),
    persona: "hurried",
    reason: "agent_silent",
    by: "agent",
    check: ({ turns }) => expect(turns.filter(({ text }) => text === "Hello? Are you still there?")).toHaveLength(2),
  },
  "answers late": {
    behave: (call) => call.onCallersTurn(() => setTimeout(() => call.say(0.7), 2_500)),
    lines: ["Hello."],
    reason: "persona_concluded",
    by: "caller",
    check: ({ turns }) => {
      const [caller, agent] = turns.slice(-2);
      expect([caller!.role, agent!.role]).toEqual(["caller", "agent"]);
      expect(Date.parse(agent!.startedAt) - Date.parse(caller!.endedAt)).toBeGreaterThan(2_400);
    },
  },
  "stops midway": {
    behave(call) {
      call.say(5);
      setTimeout(() => call.socket.terminate(), 1_000);
    },
    reason: "agent_error",
    by: "agent",
    check: ({ turns }) => {
      expect(secondsOf(turns[0]!)).toBeGreaterThan(0.5);
      expect(secondsOf(turns[0]!)).toBeLessThan(2);
    },
  },
  "sends noise": { behave: hiss, persona: "hurried", reason: "agent_silent", by: "agent" },
  "sends garbage": { behave: ({ socket }) => socket.send("{"), reason: "agent_error", by: "agent" },
  "sends another rate": {
    behave: (call) => call.send({ event: "media", media: { payload: "AAAA", sampleRate: 24_000 } }),
    reason: "agent_error",
    by: "agent",
  },
  floods: {
    behave: flood,
    reason: "agent_error",
    by: "agent",
    check: ({ message }) => expect(message).toContain("more messages than a call needs"),
  },
  "floods with sound": {
    behave: floodWithSound,
    reason: "agent_error",
    by: "agent",
    check: ({ message }) => expect(message).toContain("more than 10 minutes of sound"),
  },
};

let server: TestServer;
let agent: FakeVoiceAgent;
const runs = new Map<string, string>();
const pathOf = (name: string) => name.replaceAll(" ", "-");

beforeAll(async () => {
  server = await startServer({ settings: { SVC_CALLS_AT_ONCE: "6" } });
  const behaviors = Object.entries(CASES).map(([name, { behave }]) => [pathOf(name), behave] as const);
  agent = await startFakeVoiceAgent(Object.fromEntries(behaviors));
  for (const name of Object.keys(CASES)) runs.set(name, await start(name));
});
afterAll(async () => {
  await server.stop();
  agent.stop();
});

async function start(name: string): Promise<string> {
  const { persona = "calm", lines = ["Hello, I need a room."] } = CASES[name]!;
  const target = await voiceConnection(server.client, agent.urlOf(pathOf(name)));
  const scenario = lines.map((line) => `Says: ${line}`).join("\n");
  const testVersions = await versionsOf(server.client, [
    { scenario, behaviors: ["ends the call"], personas: [persona] },
  ]);
  return (await startRun(server.client, { ...target, testVersions, caller: "scripted" })).id;
}

describe("a call to an agent", () => {
  test.each(Object.keys(CASES))(
    "a call to an agent that %s ends once, with its reason and the party that caused it",
    async (name) => {
      const { reason, by, check } = CASES[name]!;
      const runId = runs.get(name)!;
      await settled(server.client, runId, WAIT_MS);
      const [simulation] = await simulationsOf(server.client, runId);
      expect(simulation).toMatchObject({ endingReason: reason, endedBy: by });
      check?.(simulation!);
      const { events } = await server.client.runs.events({ runId });
      const endings = events.filter((event) => event.kind === "simulation" && event.reason !== null);
      expect(endings).toHaveLength(1);
    },
  );
});
