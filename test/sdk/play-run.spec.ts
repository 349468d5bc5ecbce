import { assertPassed, playRun } from "@svc/sdk";
import { svc } from "@svc/sdk/vitest";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { chatConnection } from "../support/runs.ts";
import { until } from "../support/until.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let suite: string;
let agent: string;
beforeAll(async () => {
  server = await shareServer();
  const { sample } = await server.client.sample.start({});
  const [{ testSuite }, { agent: registered }] = await Promise.all([
    server.client.suites.get({ suiteId: sample.suiteId }),
    server.client.agents.get({ agentId: sample.agentId }),
  ]);
  [suite, agent] = [testSuite.name, registered.name];
  vi.stubEnv("SVC_URL", server.url);
  vi.stubEnv("SVC_API_KEY", server.projectKey);
});
afterAll(() => server.stop());

describe("svc.run and toPass", () => {
  test("a run of tests that pass passes, and its result has each simulation with its grades", async () => {
    const { tests } = await server.client.tests.listOfSuite({ suiteId: (await suiteOf()).id });
    const names = tests.map(({ name }) => name).filter((name) => !/failed/i.test(name));
    const result = await svc.run({ tests: names.slice(0, 1), agent, iterations: 2 });
    expect(result.simulations.map(({ iteration, grades }) => [iteration, grades!.length > 0])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(result).toPass();
    expect(() => assertPassed(result)).not.toThrow();
    expect(() => expect(result).not.toPass()).toThrow("passed");
  });

  test("the message of toPass names each failing behavior with its reason and the quoted turn", async () => {
    const result = await svc.run({ suite });
    expect(result.passed).toBe(false);
    expect(() => expect(result).toPass()).toThrow(
      /The run run_\w+ did not pass: 1 of 5 simulations did not pass\.\n\n.+ · .+ · #1 \(sim_\w+\): failed\n  failed: .+\n    .+\n    tool call 1\n    turn 2: "You are booked.+"\n/,
    );
    expect(() => assertPassed(result)).toThrow("did not pass");
  });

  test("toPass refuses a value that is no result of a run", () => {
    expect(() => expect({}).toPass()).toThrow("await svc.run");
  });
});

describe("playRun", () => {
  test("an unknown name is refused with the names that exist", async () => {
    await expect(playRun(server.client, { suite: "Bookng", agent })).rejects.toThrow(
      `There is no suite "Bookng". There are: `,
    );
    await expect(playRun(server.client, { suite, agent: "Nobody" })).rejects.toThrow(
      `There is no agent "Nobody". There are: ${agent}.`,
    );
    await expect(playRun(server.client, { agent })).rejects.toThrow("Set `suite` or `tests`.");
  });

  test("an abort cancels the run and rejects with the signal's reason", async () => {
    const silent = await startChatAgent(() => null);
    const { agentId } = await chatConnection(server.client, silent.url);
    const abort = new AbortController();
    const played = playRun(server.client, { suite, agent: agentId, signal: abort.signal });
    const ended = played.catch((error: unknown) => error);
    const { simulationId } = await until("the first turn", () => silent.heard[0]);
    const { runId } = (await server.client.simulations.get({ simulationId })).simulation;
    abort.abort(new Error("enough"));
    expect(await ended).toMatchObject({ message: "enough" });
    expect((await server.client.runs.get({ runId })).run.status).toBe("canceled");
    silent.stop();
  });
});

async function suiteOf() {
  const { testSuites } = await server.client.suites.list();
  return testSuites.find(({ name }) => name === suite)!;
}
