import type { Client } from "@svc/sdk";
import type { AnyInvocation } from "../command.ts";
import { resultText } from "../runs/result-text.ts";
import { interruptible, watchRun } from "../runs/watch.ts";
import type { Session } from "../session/session.ts";
import { startVoiceAgent } from "../service/start-voice-agent.ts";
import { commandLine } from "../version.ts";
import { heardTable, readHeardCalls } from "./heard-table.ts";
import { type Demo, demoCommands, startDemoService } from "./start-demo.ts";

type NewTest = Parameters<Client["tests"]["create"]>[0];

const VOICE_SUITE = "Booking by voice";

/** These tests need no key of a model, because code decides them from the sound and the turns of the call. */
const VOICE_TESTS: Omit<NewTest, "suite">[] = [
  {
    name: "Books a room",
    scenario: `Ana Silva calls to book a room.

Says: Hello, this is Ana Silva. I would like to book a room.
Says: On Friday, please.
Says: No, that's all. Thank you!`,
    expected_behaviors: ["ends the call", "finishes within 8 turns"],
    personas: ["calm"],
  },
  {
    name: "Stops when the caller interrupts",
    scenario: `Ben Okoro is in a hurry and talks over the agent as soon as he has heard enough.

Says: Hi, I need a room for Friday.
Says: Yes, yes, fine. Please just book it now.`,
    expected_behaviors: ["stops within 500 ms when interrupted"],
    personas: ["interrupting"],
  },
  {
    name: "Answers without a long pause",
    scenario: `Cleo Tan asks for the price of a room. A caller hears the pause before each answer, which no trace of the agent shows.

Says: Good morning. How much is a double room?`,
    expected_behaviors: ["responds within 1500 ms as heard"],
    personas: ["calm"],
  },
];

export async function runVoiceDemo(invocation: AnyInvocation, port: string | undefined): Promise<Demo> {
  const [service, agent] = await Promise.all([startDemoService(invocation, port), startVoiceAgent()]);
  const { session, url, configDir, account } = service;
  const run = await startVoiceRun(session, agent.url);
  const result = await interruptible((signal) => watchRun(invocation, session, run, { signal }));
  const heard = await readHeardCalls(session, result);
  return { ...result, heard, url, configDir, account, seconds: performance.now() / 1000 };
}

async function startVoiceRun({ client }: Session, agentUrl: string) {
  const { agent } = await client.agents.register({ name: "Sample voice agent" });
  const { connection } = await client.connections.create({
    agentId: agent.id,
    name: "media stream",
    connectionType: "websocket_audio",
    config: { url: agentUrl, codec: "mulaw_8k" },
  });
  const { testSuite } = await client.suites.create({ name: VOICE_SUITE });
  for (const test of VOICE_TESTS) await client.tests.create({ ...test, suite: testSuite.id });
  const answer = await client.runs.create({
    suiteId: testSuite.id,
    agentId: agent.id,
    connectionId: connection.id,
    name: "Voice demo",
    caller: "scripted",
  });
  if (!("run" in answer)) throw new Error("The service answered with a plan instead of a run.");
  return answer.run;
}

const FOUND = "The failed test found the defect.";
const TOO_BUSY =
  "This machine was too busy to measure it: the reasons above say so. Run the demo again when the machine has less work.";

export function voiceDemoText(demo: Demo): string {
  const failed = demo.simulations.find(({ verdict }) => verdict === "failed");
  const { command: program } = commandLine();
  const shown = (failed ?? demo.simulations.at(-1))?.id ?? "SIMULATION";
  return `${resultText(demo)}

${heardTable(demo.heard ?? [])}

The service called a sample voice agent three times, spoke with it, and measured what a caller hears. The agent has one
deliberate defect: it speaks on when the caller interrupts it. ${failed ? FOUND : TOO_BUSY}
The demo took ${demo.seconds.toFixed(1)} s, without an account or an API key.

${demoCommands(demo, [
  `${program} simulations show ${shown}`,
  `${program} simulations show ${shown} --play`,
  `${program} runs start --suite "${demo.run.suiteName}"`,
])}
To call your own agent: ${program} connections add --help`;
}
