import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { chatConnection, settled, simulationsOf, startRun } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { aTest } from "../support/world.ts";

const WRITERS = 64;

let server: TestServer;
let agent: ChatAgent;
const answered = new Map<string, unknown>();

beforeAll(async () => {
  server = await startServer();
  agent = await startChatAgent(answer);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

/** Says what it heard, and what a mocked tool answered. */
async function answer(spoken: Spoken) {
  if (spoken.event === "start") return {};
  const found = await useTool(spoken, "look_up");
  answered.set(spoken.simulationId, found);
  return { message: `${spoken.message} ${JSON.stringify(found)}`, ended: true };
}

const edition = (number: number) => ({
  scenario: `Caller says:\n- This is edition ${number}.`,
  expected_behaviors: [`says "edition ${number}."`, `says "mock ${number}"`],
  mock_tools: [{ tool: "look_up", answer: `mock ${number}` }],
});

test(
  `runs that start among ${WRITERS} edits play and grade the version that they named`,
  { timeout: 60_000 },
  async () => {
    const target = await chatConnection(server.client, agent.url);
    const made = await server.client.tests.create(aTest(edition(0)));
    const editions = new Map([[made.version_id, 0]]);
    let current = made.version_id;
    const named = new Map<string, string>();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, index) => {
        const number = index + 1;
        const edit = async () => {
          for (;;) {
            const expected_version_id = current;
            const edited = await server.client.tests
              .edit({ testId: made.id, expected_version_id, ...edition(number) } as never)
              .catch(() => undefined);
            if (edited === undefined) continue;
            editions.set(edited.version_id, number);
            current = edited.version_id;
            return;
          }
        };
        const start = async () => {
          const version = current;
          const run = await startRun(server.client, { ...target, testVersions: [version] });
          named.set(run.id, version);
        };
        await Promise.all([edit(), start()]);
      }),
    );
    expect([editions.size, named.size]).toEqual([WRITERS + 1, WRITERS]);
    for (const [runId, version] of named) {
      const run = await settled(server.client, runId, 40_000);
      const [simulation] = await simulationsOf(server.client, runId);
      expect(run.passedVerdicts).toBe(1);
      expect(simulation!.testVersionId).toBe(version);
      const number = editions.get(version)!;
      expect(simulation!.turns[0]!.text).toBe(`This is edition ${number}.`);
      expect(simulation!.toolCalls[0]!.result).toBe(`mock ${number}`);
      expect(simulation!.grades.slice(0, 2).map(({ criterion }) => criterion)).toEqual(
        edition(number).expected_behaviors,
      );
    }
  },
);

test("a run keeps the project's mock tools and its connection as they were when it was made", async () => {
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

test("no run of an archived agent is left open, however the two meet", { timeout: 60_000 }, async () => {
  const { version_id } = await server.client.tests.create(aTest(edition(7)));
  for (let round = 0; round < 8; round++) {
    const target = await chatConnection(server.client, agent.url);
    const start = () => startRun(server.client, { ...target, testVersions: [version_id] }).catch((error) => error.code);
    await Promise.all([start(), start(), server.client.agents.archive({ agentId: target.agentId }), start(), start()]);
    const { runs } = await server.client.runs.list({ agentId: target.agentId });
    expect(runs.filter(({ status }) => status === "pending" || status === "running")).toEqual([]);
  }
});
