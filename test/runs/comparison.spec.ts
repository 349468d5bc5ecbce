import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { answers, type Behavior, callsTools, fakeEndpoint } from "../support/language-model/fake-endpoint.ts";
import { judgement } from "../support/language-model/judge-replies.ts";
import { chatConnection, settled, startRun, versionsOf } from "../support/runs.ts";
import { keySettings } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
let versions: string[];
let answer = async () => ({ message: "Two nights, then. Goodbye!", ended: true });
const well = answer;
/** The keys of the service, which restarts on its folder. */
const KEYS = keySettings();
const three = async () => ({ message: "Three nights, then. Goodbye!", ended: true });

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(({ event }) => (event === "start" ? {} : answer()));
  target = await chatConnection(server.client, agent.url);
  const scenario = "Caller says:\n- Two nights, please.";
  versions = await versionsOf(server.client, [
    { scenario, behaviors: ['says "two nights"'] },
    ...Array.from({ length: 9 }, () => ({ scenario, behaviors: ['says "goodbye"'] })),
  ]);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Options = Partial<Parameters<typeof startRun>[1]>;

async function run(options: Options = {}): Promise<string> {
  const { id } = await startRun(server.client, { ...target, testVersions: versions, iterations: 5, ...options });
  await settled(server.client, id);
  return id;
}
/** A run of the agent that answers well. Several specs compare other runs with this run. */
let ofWell: Promise<string> | undefined;
const runWell = () => {
  answer = well;
  return (ofWell ??= run());
};
const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-comparison-"));
  folders.push(folder);
  return folder;
}
const compare = async (runId: string, other: string) =>
  (await server.client.runs.compare({ runId, with: other })).comparison;

describe("a comparison of runs", () => {
  test("a comparison of runs finds no difference between runs of the same agent, and says that two runs are compared", async () => {
    const [first, second] = [await runWell(), await run()];
    expect(await compare(first, second)).toMatchObject({
      firstRunId: first,
      secondRunId: second,
      firstAgentId: target.agentId,
      differences: [],
      attributableToAgent: false,
      passingDiffers: false,
      pairs: 50,
      unpaired: 0,
      decided: 50,
      regressed: [],
      mended: [],
      brokenTests: [],
      p: 1,
      passRateDifference: { value: 0, low: 0, high: 0 },
      first: { played: 50, passed: 50, testCount: 10, passRate: 1, passHatK: [1, 1, 1, 1, 1] },
      words: [
        expect.stringMatching(/^Passing: not distinguishable/),
        expect.stringMatching(/^Latency: /),
        expect.stringMatching(/^Two runs are compared, not two agents\./),
      ],
    });
  });

  test("a comparison of runs names one test of ten that goes from 5 of 5 to 0 of 5, with the simulations of both runs", async () => {
    const first = await runWell();
    answer = three;
    const second = await run();
    const found = await compare(first, second);
    expect(found).toMatchObject({ decided: 50, mended: [], distinguishable: true, attributableToAgent: true });
    expect(found.passingSentence).toMatch(/broken: ".*" \(5 of 5 → 0 of 5\)\.$/);
    expect(found.brokenTests.map(({ testVersionId }) => testVersionId)).toEqual([versions[0]]);
    expect(found.tests[0]).toMatchObject({ change: "broken", flaky: false, second: { passed: 0, failed: 5 } });
    expect(found.regressed).toHaveLength(5);
    const { firstSimulationId, secondSimulationId, iteration } = found.regressed[0]!;
    const { get } = server.client.simulations;
    const both = await Promise.all(
      [firstSimulationId, secondSimulationId].map((simulationId) => get({ simulationId })),
    );
    expect(both.map(({ simulation }) => [simulation.verdict, simulation.iteration])).toEqual([
      ["passed", iteration],
      ["failed", iteration],
    ]);
    expect(await compare(second, first)).toMatchObject({ mendedTests: found.brokenTests });
  });

  test("a comparison of runs lists tests that are flaky over the last runs of their version and agent", async () => {
    const [testVersion] = await versionsOf(server.client, [
      { scenario: "Caller says:\n- Two nights, please.", behaviors: ['says "two nights"'] },
    ]);
    const once = () => run({ testVersions: [testVersion!], iterations: 1 });
    answer = well;
    const first = await once();
    answer = three;
    expect((await compare(first, await once())).flakyTests).toEqual([]);
    answer = well;
    const found = await compare(first, await once());
    expect(found.flakyTests).toMatchObject([{ testVersionId: testVersion }]);
    expect(found.tests[0]).toMatchObject({ flaky: true, recentRuns: 3, change: "none", canDiffer: false });
  });

  async function editOf(versionId: string, behavior: string): Promise<string> {
    const { test_id } = await server.client.tests.version({ versionId });
    const edit = { testId: test_id, expected_version_id: versionId, expected_behaviors: [behavior] };
    return (await server.client.tests.edit(edit)).version_id;
  }

  test("a comparison of runs names changed options, mock tools and versions first, and then blames no agent", async () => {
    answer = well;
    const testVersions = await versionsOf(server.client, [
      { scenario: "Caller says:\n- Two nights, please.", behaviors: ['says "two nights"'], personas: [] },
    ]);
    const first = await run({ testVersions });
    answer = three;
    await server.client.mockTools.create({ tool: "look_up", answer: { found: true } });
    const second = await run({ testVersions, turnLimit: 20 });
    const found = await compare(first, second);
    expect(found.differences).toEqual([
      { kind: "mock_tools", what: "mock tools", first: "none", second: "look_up" },
      { kind: "options", what: "turn limit", first: "60", second: "20" },
    ]);
    expect(found).toMatchObject({ passingDiffers: true, attributableToAgent: false });
    expect(found.words[0]).toBe(
      "The runs differ besides the agent: mock tools (none → look_up); turn limit (60 → 20). Two runs are compared, and no difference between them is evidence about the agent.",
    );
    const edited = await editOf(testVersions[0]!, 'says "three nights"');
    const after = await compare(second, await run({ testVersions: [edited], turnLimit: 20 }));
    expect(after.differences).toMatchObject([
      { kind: "tests", first: expect.stringContaining(testVersions[0]!), second: expect.stringContaining(edited) },
    ]);
    expect(after).toMatchObject({ unpaired: 10, tests: [] });
    expect(after.words.join(" ")).toContain("Tests that changed are not compared: ");
  });

  test("a comparison of runs may blame the agent for the tests that stayed, although another test changed", async () => {
    const [stays, changes] = await versionsOf(server.client, [
      { scenario: "Caller says:\n- Two nights, please.", behaviors: ['says "two nights"'], personas: [] },
      { scenario: "Caller says:\n- One room, please.", behaviors: ["answers within 1 s"], personas: [] },
    ]);
    answer = well;
    const first = await run({ testVersions: [stays!, changes!] });
    const edited = await editOf(changes!, "answers within 2 s");
    answer = three;
    const found = await compare(first, await run({ testVersions: [stays!, edited] }));
    const differences = [{ kind: "tests" }];
    expect(found).toMatchObject({ attributableToAgent: true, brokenTests: [{ testVersionId: stays }], differences });
  });

  test("a comparison of runs names two different agents, even when nothing else differs", async () => {
    const { client } = server;
    answer = well;
    const first = await run({ testVersions: [versions[0]!], iterations: 1 });
    const other = await chatConnection(client, agent.url);
    const second = await run({ ...other, testVersions: [versions[0]!], iterations: 1 });
    const nameOf = async ({ agentId }: { agentId: string }) => (await client.agents.get({ agentId })).agent.name;
    const agents = { first: await nameOf(target), second: await nameOf(other) };
    const found = await compare(first, second);
    expect(found).toMatchObject({ agents, differences: [] });
    expect(found.words.at(-2)).toContain(`different agents ("${agents.first}" → "${agents.second}")`);
    expect(await compare(first, first)).toMatchObject({ agents: null });
  });

  test("a comparison of runs leaves out simulations of only one run, and refuses a run under way", async () => {
    const [both, one] = [await runWell(), await run({ testVersions: [versions[0]!] })];
    expect(await compare(both, one)).toMatchObject({ pairs: 5, unpaired: 45 });

    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    answer = () => held.then(well);
    const { id } = await startRun(server.client, { ...target, testVersions: versions });
    await expect(compare(both, id)).rejects.toMatchObject({ code: "conflict" });
    release();
    await settled(server.client, id);
  });
});

describe("pass rates over runs", () => {
  test("pass rates over runs are listed for a test and for an agent, newest first, in pages, and only in their project", async () => {
    const { client } = server;
    const own = await chatConnection(client, agent.url);
    answer = well;
    const first = await run({ ...own, iterations: 2, name: "well" });
    answer = three;
    const second = await run({ ...own, iterations: 2 });

    const { test_id: testId } = await client.tests.version({ versionId: versions[0]! });
    const ofTest = await client.runs.passRatesOfTest({ testId, agentId: own.agentId });
    const common = { played: 2, undecided: 0, errored: 0, pending: 0, testVersionIds: [versions[0]] };
    expect(ofTest).toMatchObject({
      nextPageToken: null,
      passRates: [
        { ...common, runId: second, runName: null, passed: 0, failed: 2, passRate: 0, passHatK: [0, 0] },
        { ...common, runId: first, runName: "well", passed: 2, failed: 0, passRate: 1, passHatK: [1, 1] },
      ],
    });
    const { passRates, nextPageToken } = await client.runs.passRatesOfAgent({ agentId: own.agentId, pageSize: 1 });
    expect(passRates).toMatchObject([{ runId: second, played: 20, passed: 18, passRate: 0.9, testCount: 10 }]);
    expect(passRates[0]!.passRateLow).toBeLessThan(0.9);
    expect(passRates[0]!.passRateHigh).toBe(1);
    const { run: shown } = await client.runs.get({ runId: second });
    const { passRateLow, passRateHigh } = passRates[0]!;
    expect(shown).toMatchObject({ passRate: 0.9, passRateLow, passRateHigh });
    const pageToken = nextPageToken!;
    const { passRates: earlier } = await client.runs.passRatesOfAgent({ agentId: own.agentId, pageToken });
    expect(earlier.map(({ runId }) => runId)).toEqual([first]);

    await client.tests.delete({ testId });
    const ofVersion = await client.runs.passRatesOfTest({ testId, testVersionId: versions[0]! });
    expect(ofVersion.passRates.length).toBeGreaterThan(2);
    const { id: projectId } = (await server.admin.projects.create({ name: "Another" })).project;
    const { runs } = server.admin;
    await expect(runs.passRatesOfTest({ testId, projectId })).rejects.toMatchObject({ code: "not_found" });
    const foreign = runs.passRatesOfAgent({ agentId: own.agentId, projectId });
    await expect(foreign).rejects.toMatchObject({ code: "not_found" });
  });
});

test("a run's list shows the grades of each simulation when the request asks for them", async () => {
  answer = well;
  const runId = await run({ testVersions: [versions[0]!], iterations: 10 });
  const { simulations } = await server.client.runs.simulations({ runId, grades: "true" });
  expect(simulations).toHaveLength(10);
  for (const { id, grades } of simulations) {
    const { simulation } = await server.client.simulations.get({ simulationId: id });
    expect(grades).toEqual(simulation.grades.map(({ votes: _votes, calibration: _calibration, ...grade }) => grade));
  }
  await server.client.simulations.veto({ simulationId: simulations[0]!.id, reason: "Nothing was booked." });
  const { simulations: vetoed } = await server.client.runs.simulations({ runId, grades: "true", verdict: "failed" });
  expect(vetoed.map(({ grades }) => grades![0])).toMatchObject([{ decidedBy: "veto", verdict: "failed" }]);
  const { simulations: bare } = await server.client.runs.simulations({ runId });
  expect(bare.every((simulation) => !("grades" in simulation))).toBe(true);
});

/** Runs `work` with a service on a shared folder whose language model has this name and this answer. */
async function withModel<T>(
  { dataDir, model, behavior }: { dataDir: string; model: string; behavior: Behavior },
  work: (own: TestServer) => Promise<T>,
): Promise<T> {
  const endpoint = await fakeEndpoint(behavior);
  const { baseUrl, apiKey } = endpoint.settings;
  const own = await startServer({
    dataDir,
    settings: { ...KEYS, SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model },
  });
  try {
    return await work(own);
  } finally {
    await own.stop();
    endpoint.stop();
  }
}

/** Returns a caller that says these words first, and hangs up after the answer. */
const saysOnce =
  (words: string): Behavior =>
  (asked, ...rest) => {
    const hasSpoken = asked.body.messages.some(({ role }) => role === "assistant");
    return (hasSpoken ? callsTools({ name: "hang_up", arguments: "{}" }) : answers(words))(asked, ...rest);
  };

test("the same agent under a caller of another model is not called a changed agent", async () => {
  const dataDir = newFolder();
  answer = well;
  let options: Parameters<typeof startRun>[1];
  const playedBy = <T>(model: string, words: string, work: (own: TestServer, runId: string) => Promise<T>) =>
    withModel({ dataDir, model, behavior: saysOnce(words) }, async (own) => {
      options ??= {
        ...(await chatConnection(own.client, agent.url)),
        testVersions: await versionsOf(own.client, [{ scenario: "Books a room.", behaviors: ['says "two nights"'] }]),
        iterations: 5,
        caller: "model",
      };
      const { id } = await startRun(own.client, options);
      const run = await settled(own.client, id);
      expect(run.callerModel).toBe(model);
      return work(own, id);
    });
  const first = await playedBy("caller-a", "Two nights, please.", async (_, id) => id);
  await playedBy("caller-b", "Good day.", async (own, second) => {
    const { comparison } = await own.client.runs.compare({ runId: first, with: second });
    expect(comparison.differences).toEqual([
      { kind: "caller", what: "caller", first: "model caller-a", second: "model caller-b" },
    ]);
    expect(comparison.attributableToAgent).toBe(false);
  });
});

test("the same agent under another judge is not called a changed agent", async () => {
  const dataDir = newFolder();
  const playedBy = (model: string, status: "pass" | "fail", work: (own: TestServer) => Promise<string>) =>
    withModel(
      {
        dataDir,
        model,
        behavior: answers(judgement(status, { evidence: [{ turn: 1, quote: "Two nights, then." }], confidence: 1 })),
      },
      work,
    );
  answer = well;
  let options: Parameters<typeof startRun>[1];
  const start = async ({ client }: TestServer) => {
    const { id } = await startRun(client, options);
    await settled(client, id);
    return id;
  };
  const first = await playedBy("judge-a", "pass", async (own) => {
    const scenario = "Caller says:\n- Two nights, please.";
    options = {
      ...(await chatConnection(own.client, agent.url)),
      testVersions: await versionsOf(own.client, [{ scenario, behaviors: ["Is polite."] }]),
      iterations: 5,
      caller: "scripted",
    };
    return start(own);
  });
  await playedBy("judge-b", "fail", async (own) => {
    const second = await start(own);
    const { comparison } = await own.client.runs.compare({ runId: first, with: second });
    expect(comparison.differences).toMatchObject([
      { kind: "judge", first: expect.stringContaining("judge-a"), second: expect.stringContaining("judge-b") },
    ]);
    expect(comparison).toMatchObject({ passingDiffers: true, attributableToAgent: false });
    expect(comparison.words[0]).toMatch(/^The runs differ besides the agent: judge \(judge-a.*→ judge-b/);
    expect(comparison.words.join(" ")).not.toMatch(/agent may have changed/);
    return second;
  });
});
