/**
 * Measures calls in a row over a media stream, each with two turns of the caller and two of the agent: `npm run bench -- calls`.
 * Prints the memory of the service, its media processes, and the frame gaps. Needs Linux.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import { startFakeVoiceAgent } from "../test/support/calls/fake-voice-agent.ts";
import { childrenOf, memoryOf } from "../test/support/calls/processes.ts";
import { settled, simulationsOf, startRun, versionsOf, voiceConnection } from "../test/support/runs.ts";
import { keySettings } from "../test/support/secret.ts";
import type { OpenService, Serving } from "../test/support/service-child.ts";

const [CALLS] = new Command("calls")
  .description("Measures calls in a row over a media stream.")
  .argument("[calls]", "number of calls", Number, 480)
  .parse().processedArgs as [number];
const [TESTS, ITERATIONS] = [3, 20];
const RUN_CALLS = TESTS * ITERATIONS;
const AT_ONCE = 8;
const RUN_TIMEOUT_MS = 900_000;
const LOOK_MS = 500;

const folder = mkdtempSync(join(tmpdir(), "svc-bench-calls-"));
const service = fork(join(import.meta.dirname, "../test/support/service-child.ts"), {
  execArgv: ["--conditions=svc-source"],
});
process.once("exit", () => service.kill("SIGKILL"));
const agent = await startFakeVoiceAgent({
  answers(call) {
    call.say(0.3);
    call.onCallersTurn((turn) => (turn === 2 ? call.socket.close(1000) : call.say(0.3)));
  },
});
const settings = {
  ...keySettings(),
  SVC_CALLS_AT_ONCE: String(AT_ONCE),
};
service.send({ dataDir: join(folder, "data"), settings } satisfies OpenService);
const { url, projectKey } = await new Promise<Serving>((resolve) => service.once("message", resolve));
const client = createClient({ baseUrl: url, apiKey: projectKey });
const target = await voiceConnection(client, agent.urlOf("answers"));
const scenario = "Says: Hello.\nSays: Goodbye.";
const tests = Array.from({ length: TESTS }, () => ({ scenario, behaviors: ["ends the call"] }));
const testVersions = await versionsOf(client, tests);

const processes = new Set<number>();
let largestMb = 0;
const looking = setInterval(() => {
  for (const pid of childrenOf(service.pid!)) {
    processes.add(pid);
    try {
      largestMb = Math.max(largestMb, memoryOf(pid));
    } catch {
      // The process has already exited.
    }
  }
}, LOOK_MS);

console.log(`${CALLS} calls, ${AT_ONCE} at once`);
const titles = ["calls", "seconds", "service MB", "media processes", "largest MB", "ended by agent", "attempts"];
console.log(titles.map((title) => title.padStart(16)).join(""));
for (let played = 0; played < CALLS; played += RUN_CALLS) {
  const startedAt = performance.now();
  const run = await startRun(client, { ...target, testVersions, iterations: ITERATIONS, concurrency: AT_ONCE });
  await settled(client, run.id, RUN_TIMEOUT_MS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const simulations = await simulationsOf(client, run.id);
  const cells = [
    String(played + RUN_CALLS),
    seconds.toFixed(0),
    memoryOf(service.pid!).toFixed(0),
    String(processes.size),
    largestMb.toFixed(0),
    String(simulations.filter(({ endingReason }) => endingReason === "agent_ended").length),
    String(simulations.reduce((sum, { attempt }) => sum + attempt, 0)),
  ];
  console.log(cells.map((cell) => cell.padStart(16)).join(""));
}
clearInterval(looking);
service.kill("SIGTERM");
agent.stop();
await new Promise((resolve) => service.once("exit", resolve));
rmSync(folder, { recursive: true, force: true });
