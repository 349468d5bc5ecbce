import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, settled, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
let versions: string[];
let answer = async () => ({ message: "Two nights, then. Goodbye!", ended: true });
const well = answer;

beforeAll(async () => {
  server = await startServer();
  agent = await startChatAgent(({ event }) => (event === "start" ? {} : answer()));
  target = await chatConnection(server.client, agent.url);
  const scenario = "Caller says:\n- Two nights, please.";
  versions = await versionsOf(server.client, [
    { scenario, behaviors: ['says "two nights"'] },
    { scenario, behaviors: ['says "goodbye"'] },
  ]);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

async function run(testVersions = versions): Promise<string> {
  const { id } = await startRun(server.client, { ...target, testVersions, iterations: 10 });
  await settled(server.client, id);
  return id;
}
const compare = async (runId: string, other: string) =>
  (await server.client.runs.compare({ runId, with: other })).comparison;

test("two runs of the same agent are not distinguishable", async () => {
  answer = well;
  const [first, second] = [await run(), await run()];
  expect(await compare(first, second)).toMatchObject({
    firstRunId: first,
    secondRunId: second,
    pairs: 20,
    unpaired: 0,
    decided: 20,
    regressed: [],
    mended: [],
    p: 1,
    words: [expect.stringMatching(/^Passing: not distinguishable/), expect.stringMatching(/^Latency: /)],
  });
});

test("a planted regression is found, with the simulations that changed in both runs", async () => {
  answer = well;
  const first = await run();
  answer = async () => ({ message: "Three nights, then. Goodbye!", ended: true });
  const second = await run();
  const found = await compare(first, second);
  expect(found).toMatchObject({ decided: 20, mended: [], distinguishable: true });
  expect(found.words[0]).toMatch(/passes less often: of 20 pairs 10 passed before and fail now/);
  expect(found.regressed).toHaveLength(10);
  expect(new Set(found.regressed.map(({ testVersionId }) => testVersionId))).toEqual(new Set([versions[0]]));
  const { firstSimulationId, secondSimulationId, iteration } = found.regressed[0]!;
  const both = await Promise.all(
    [firstSimulationId, secondSimulationId].map((id) => server.client.simulations.get({ simulationId: id })),
  );
  expect(both.map(({ simulation }) => [simulation.verdict, simulation.iteration])).toEqual([
    ["passed", iteration],
    ["failed", iteration],
  ]);
});

test("simulations of only one run do not count, and a run under way is not compared", async () => {
  answer = well;
  const [both, one] = [await run(), await run([versions[0]!])];
  expect(await compare(both, one)).toMatchObject({ pairs: 10, unpaired: 10 });

  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  answer = () => held.then(well);
  const { id } = await startRun(server.client, { ...target, testVersions: versions });
  await expect(compare(both, id)).rejects.toMatchObject({ code: "conflict" });
  release();
  await settled(server.client, id);
});

test("a run's list shows the grades of each simulation when the request asks for them", async () => {
  answer = well;
  const runId = await run([versions[0]!]);
  const { simulations } = await server.client.runs.simulations({ runId, grades: "true" });
  expect(simulations).toHaveLength(10);
  for (const { id, grades } of simulations) {
    const { simulation } = await server.client.simulations.get({ simulationId: id });
    expect(grades).toEqual(simulation.grades.map(({ votes: _, ...grade }) => grade));
  }
  await server.client.simulations.veto({ simulationId: simulations[0]!.id, reason: "Nothing was booked." });
  const { simulations: vetoed } = await server.client.runs.simulations({ runId, grades: "true", verdict: "failed" });
  expect(vetoed.map(({ grades }) => grades![0])).toMatchObject([{ decidedBy: "veto", verdict: "failed" }]);
  const { simulations: bare } = await server.client.runs.simulations({ runId });
  expect(bare.every((simulation) => !("grades" in simulation))).toBe(true);
});
