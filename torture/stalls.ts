import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@svc/sdk";
import { chatConnection, simulationsOf, startRun, versionsOf } from "../test/support/runs.ts";
import { startAgent, verdictOf } from "./agent.ts";
import { faultsOfRun } from "./loads/runs.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf, type Service } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const TESTS = 5;
const ITERATIONS = 4;
const STALLS_EACH_RUN = 3;
/** The agent answers within 400 ms, so a longer time means that the service stalled. */
const ANSWER_MS = [50, 400] as const;
const FAST_ENOUGH = "responds within 3 s";

export const stalls: Scenario = {
  name: "stalls",
  shows: "a stall of the service never becomes a failure of the agent, and nothing of the run is lost",
  weight: 4,
  trials: "stalls",
  goal: 100,
  async run(arena) {
    const settings = claimed(arena.draws);
    const service = arena.launch({ dataDir: join(arena.folder, "data"), settings });
    const client = clientOf(await service.serving, keysIn(settings).projectKey);
    const stock = await startAgent(arena.draws.named("agent"), { answerMs: ANSWER_MS, behaviors: [FAST_ENOUGH] });
    const plain = await startPlainAgent(arena.draws.named("plain agent"));
    const testVersions = await versionsOf(client, stock.scenarios(TESTS));
    const targets = [await chatConnection(client, stock.url), await chatConnection(client, plain.url, "openai")];
    for (let number = 0; arena.goesOn(); number++) {
      const target = targets[number % targets.length]!;
      const run = { ...target, testVersions, iterations: ITERATIONS, concurrency: TESTS * ITERATIONS };
      await stalledRun(arena, arena.draws.named(`run ${number}`), service, client, (await startRun(client, run)).id);
    }
    if (service.warnings().length > 0) arena.count("log lines at warn", service.warnings().length);
    stock.stop();
    plain.stop();
    await service.stop();
  },
};

/** Stalls the service at random moments of a run, and checks every ending of the run. */
async function stalledRun(arena: Arena, draws: Draws, service: Service, client: Client, runId: string): Promise<void> {
  const isOver = async () => (await client.runs.get({ runId })).run.status === "completed";
  for (let stall = 0; stall < STALLS_EACH_RUN; stall++) {
    await delay(draws.next() * 1_200);
    if (await isOver()) break;
    const stallMs = draws.whole(1_000, 8_000);
    service.suspend();
    await delay(stallMs);
    service.resume();
    arena.trial();
    arena.count("stalled seconds", stallMs / 1_000);
  }
  const faults = await faultsOfRun(client, runId, { mayStall: true });
  const simulations = await simulationsOf(client, runId);
  arena.count("simulations", simulations.length);
  arena.count("undecided because of a stall", simulations.filter(({ verdict }) => verdict === "inconclusive").length);
  arena.count("ended as stalled", simulations.filter(({ endingReason }) => endingReason === "stalled").length);
  arena.count(
    "played again",
    simulations.reduce((sum, { attempt }) => sum + attempt - 1, 0),
  );
  if (arena.isPlanted) faults.push(...simulations.slice(0, 1).map(({ id }) => `planted: ${id} is a false failed`));
  for (const fault of faults) arena.violation(fault, { runId, simulations });
}

/** Starts an agent with the chat API of OpenAI, which knows nothing about this product. */
async function startPlainAgent(draws: Draws) {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
      messages: { role: string; content: string }[];
    };
    await delay(draws.whole(...ANSWER_MS));
    const isBroken = body.messages.length === 1 && verdictOf([body.messages[0]!.content]) === "failed";
    const content = isBroken ? "I guarantee it." : `You said: ${body.messages.at(-1)?.content}`;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
      }),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
