import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { IS_LONG } from "../support/long-form.ts";
import { chatConnection, settled, simulationsOf, startRun } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";

const TESTS = IS_LONG ? 8 : 4;
const WRITERS_OF_EACH = IS_LONG ? 8 : 4;
const ARCHIVALS = IS_LONG ? 8 : 4;

let server: SharedServer;
let agent: ChatAgent;

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(answer);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

/** The agent repeats the caller's words and the answer of a mocked tool. */
async function answer(spoken: Spoken) {
  if (spoken.event === "start") return {};
  const found = await useTool(spoken, "look_up");
  return { message: `${spoken.message} ${JSON.stringify(found)}`, ended: true };
}

const edition = (number: number) => ({
  scenario: `Caller says:\n- This is edition ${number}.`,
  expected_behaviors: [`says "edition ${number}."`, `says "mock ${number}"`],
  mock_tools: [{ tool: "look_up", answer: `mock ${number}` }],
});

test(
  `runs that start among ${TESTS * WRITERS_OF_EACH} edits play and grade the version that they named`,
  { timeout: 90_000 },
  async () => {
    const target = await chatConnection(server.client, agent.url);
    const editions = new Map<string, number>();
    const named = new Map<string, string>();
    const tests = await Promise.all(
      Array.from({ length: TESTS }, async (_, place) => {
        const made = await server.client.tests.create(aTest(edition(place * 100)));
        editions.set(made.version_id, place * 100);
        return { testId: made.id, current: made.version_id };
      }),
    );
    const edit = async (edited: (typeof tests)[number], number: number) => {
      const wanted = () => ({ testId: edited.testId, expected_version_id: edited.current, ...edition(number) });
      const done = await until("the edit wins", () => server.client.tests.edit(wanted()), 40_000);
      editions.set(done.version_id, number);
      edited.current = done.version_id;
    };
    const start = async ({ current }: (typeof tests)[number]) => {
      const run = await startRun(server.client, { ...target, testVersions: [current] });
      named.set(run.id, current);
    };
    await Promise.all(
      tests.flatMap((one, place) =>
        Array.from({ length: WRITERS_OF_EACH }, (_, writer) => [
          edit(one, place * 100 + writer + 1),
          start(one),
        ]).flat(),
      ),
    );
    const writers = TESTS * WRITERS_OF_EACH;
    expect([editions.size, named.size]).toEqual([writers + TESTS, writers]);
    for (const [runId, version] of named) {
      const run = await settled(server.client, runId, 40_000);
      const [simulation] = await simulationsOf(server.client, runId);
      expect(run.passedVerdicts).toBe(1);
      expect(simulation!.testVersionId).toBe(version);
      const number = editions.get(version)!;
      expect(simulation!.turns[0]!.text).toBe(`This is edition ${number}.`);
      expect(simulation!.toolCalls[0]!.result).toBe(`mock ${number}`);
      const criteria = simulation!.grades.slice(0, 2).map(({ criterion }) => criterion);
      expect(criteria).toEqual(edition(number).expected_behaviors);
    }
  },
);

test("a run keeps the mock tools and the connection of its start", async () => {
  const held = Promise.withResolvers<void>();
  const slow = await startChatAgent(async (spoken) => {
    await held.promise;
    return answer(spoken);
  });
  const target = await chatConnection(server.client, slow.url);
  const { mockTool } = await server.client.mockTools.create({ tool: "look_up", answer: "before" });
  const { version_id } = await server.client.tests.create(
    aTest({ scenario: "Caller says:\n- Hello.", expected_behaviors: ['says "before"'] }),
  );
  const run = await startRun(server.client, { ...target, testVersions: [version_id], iterations: 3, concurrency: 1 });
  await server.client.mockTools.edit({ mockToolId: mockTool.id, answer: "after" });
  await server.client.connections.edit({ ...target, config: { url: "http://127.0.0.1:9/", format: "svc" } });
  held.resolve();
  const done = await settled(server.client, run.id);
  slow.stop();
  expect([done.passedVerdicts, done.simulationCount]).toEqual([3, 3]);
});

test(
  "no run of an archived agent stays open, whichever of the two requests comes first",
  { timeout: 90_000 },
  async () => {
    const { version_id } = await server.client.tests.create(aTest(edition(7)));
    for (let round = 0; round < ARCHIVALS; round++) {
      const target = await chatConnection(server.client, agent.url);
      const start = () =>
        startRun(server.client, { ...target, testVersions: [version_id] }).catch((error) => error.code);
      await Promise.all([
        start(),
        start(),
        server.client.agents.archive({ agentId: target.agentId }),
        start(),
        start(),
      ]);
      const { runs } = await server.client.runs.list({ agentId: target.agentId });
      expect(runs.filter(({ status }) => status === "pending" || status === "running")).toEqual([]);
    }
  },
);
