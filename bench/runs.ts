/**
 * Measures a run of 500 simulations over HTTP chat against an agent that answers at once: `npm run bench -- runs`. Prints
 * simulations per second, the server's CPU time per turn, and its memory. Server and agent are separate processes.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import { chatConnection, settled, startRun, versionsOf } from "../test/support/runs.ts";
import type { Question, Usage } from "./server-under-test.ts";

const [SIMULATIONS] = new Command("runs")
  .description("Measures a run over HTTP chat.")
  .argument("[simulations]", "number of simulations", Number, 500)
  .parse().processedArgs as [number];
const ITERATIONS = 20;
const LINES = 6;
const CONCURRENCY = 50;
const ROUNDS = 3;
const RUN_TIMEOUT_MS = 600_000;

const start = (file: string) =>
  fork(join(import.meta.dirname, file), {
    execArgv: ["--conditions=svc-source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
const next = <T>(from: ReturnType<typeof start>) =>
  new Promise<T>((resolve) => from.once("message", (message) => resolve(message as T)));
const server = start("reads-server.ts");
const agent = start("runs-agent.ts");
const ask = (question: Question) => {
  const answer = next<Usage>(server);
  server.send(question);
  return answer;
};
const [{ url, key }, agentUrl] = await Promise.all([next<{ url: string; key: string }>(server), next<string>(agent)]);
const client = createClient({ baseUrl: url, apiKey: key });

const lines = Array.from({ length: LINES }, (_, line) => `Says: This is line ${line} of what I have to say.`);
const scenario = lines.join("\n");
const behaviors = ['says "line 5"', 'never says "sorry"', "finishes within 12 turns", "calls nothing_at_all"];
const tests = Array.from({ length: SIMULATIONS / ITERATIONS }, () => ({ scenario, behaviors }));
const target = await chatConnection(client, agentUrl);
const testVersions = await versionsOf(client, tests);

console.log(`${SIMULATIONS} simulations of ${2 * LINES} turns, ${CONCURRENCY} at once`);
console.log(
  `${"".padEnd(8)}${["created ms", "simulations/s", "CPU ms/turn", "RSS MB"].map((cell) => cell.padStart(15)).join("")}`,
);
for (let round = 1; round <= ROUNDS; round++) {
  const before = await ask("drain");
  const startedAt = performance.now();
  const run = await startRun(client, { ...target, testVersions, iterations: ITERATIONS, concurrency: CONCURRENCY });
  const createdMs = performance.now() - startedAt;
  const done = await settled(client, run.id, RUN_TIMEOUT_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await ask("drain");
  if (done.failedVerdicts !== SIMULATIONS) throw new Error("an agent that calls nothing fails");
  const cells = [
    createdMs.toFixed(0),
    (SIMULATIONS / seconds).toFixed(0),
    ((after.cpuMs - before.cpuMs) / (SIMULATIONS * 2 * LINES)).toFixed(2),
    after.rssMb.toFixed(0),
  ];
  console.log(`${`run ${round}`.padEnd(8)}${cells.map((cell) => cell.padStart(15)).join("")}`);
}
server.send("close" satisfies Question);
agent.disconnect();
