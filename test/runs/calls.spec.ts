import { afterAll, beforeAll, expect, test } from "vitest";
import { played, startRun, versionsOf, voiceConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startVoiceAgent, type VoiceAgent, type VoiceAgentScript } from "../support/voice-agent.ts";

let server: TestServer;
let agent: VoiceAgent;
let target: { agentId: string; connectionId: string };
let script: VoiceAgentScript;

beforeAll(async () => {
  server = await startServer();
  agent = await startVoiceAgent(() => script);
  target = await voiceConnection(server.client, agent.url);
});
afterAll(async () => {
  await agent.stop();
  await server.stop();
});

async function call(lines: string[]) {
  const scenario = lines.map((line) => `Says: ${line}`).join("\n");
  const [version] = await versionsOf(server.client, [{ scenario, behaviors: ["ends the call"] }]);
  const run = await startRun(server.client, { ...target, testVersions: [version!] });
  const [simulation] = (await played(server, run.id)).simulations;
  return simulation!;
}

test("a call with an agent that greets, answers and hangs up is played to its end, and its turns have the times of the sound", async () => {
  script = {
    onStart: (line) => line.speak(700),
    onCallerStopped(line, turn) {
      if (turn === 1) line.speak(900);
      else line.hangUp();
    },
  };
  const simulation = await call(["I need a room.", "Thank you, goodbye."]);
  expect(simulation).toMatchObject({ endingReason: "agent_ended", endedBy: "agent" });
  expect(simulation.turns.map(({ role }) => role)).toEqual(["agent", "caller", "agent", "caller"]);
});
