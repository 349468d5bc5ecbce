import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { chatConnection, played, startRun } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName } from "../support/world.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };

/** An agent that checks the caller's identity, and charges the card at once, whatever the result of the check. */
async function hasty(spoken: Spoken) {
  if (spoken.event === "start") return { message: "Hello." };
  await useTool(spoken, "verify_identity", {});
  await useTool(spoken, "charge_card", {});
  return { message: "Goodbye.", ended: true };
}

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(hasty);
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const CONDITION = "rank = 1 and status = /^a/";
const READING = "`verify_identity` succeeds when its result has rank = 1 and status that matches /^a/";
const BEHAVIORS = [
  "never calls charge_card before verify_identity",
  "calls verify_identity",
  "handles error of verify_identity",
  "calls charge_card",
];
const charge = { tool: "charge_card", answer: { code: "C7" } };

/** Returns the verdict of each behavior in a run, and how the service understood it, in the order of the behaviors. */
async function graded(content: { expected_behaviors: string[]; mock_tools: object[] }) {
  const { version_id } = await server.client.tests.create(
    aTest({ scenario: "Ana pays.\nSays: I want to pay.", ...content } as never),
  );
  const run = await startRun(server.client, { ...target, testVersions: [version_id] });
  const { simulations } = await played(server, run.id);
  const grades = simulations[0]!.grades.filter(({ criterion }) => content.expected_behaviors.includes(criterion));
  return {
    runId: run.id,
    simulationId: simulations[0]!.id,
    verdicts: grades.map(({ verdict }) => verdict),
    readings: grades.map(({ reading }) => reading),
  };
}

describe("a mock tool's condition of success", () => {
  test.each([
    [{ rank: 1, status: "active" }, ["passed", "passed", "inconclusive", "passed"]],
    [{ rank: 2, status: "active" }, ["failed", "inconclusive", "inconclusive", "passed"]],
    [{ verified: true }, ["failed", "inconclusive", "inconclusive", "passed"]],
  ])(
    "a mock tool's condition of success decides with the result %j alone whether the tool succeeded, in every check",
    async (answer, verdicts) => {
      const mock = { tool: "verify_identity", answer, succeeds_when: CONDITION };
      const result = await graded({ expected_behaviors: BEHAVIORS, mock_tools: [mock, charge] });
      expect(result.verdicts).toEqual(verdicts);
      expect(result.readings.map((reading) => reading!.includes(READING))).toEqual([true, true, true, false]);
    },
  );

  test("means the same as the sentence that says it", async () => {
    const sentence = `never calls charge_card before verify_identity, where verify_identity succeeds when ${CONDITION}`;
    for (const rank of [1, 2]) {
      const mock = { tool: "verify_identity", answer: { rank, status: "active" } };
      const inSentence = await graded({ expected_behaviors: [sentence], mock_tools: [mock, charge] });
      const inMock = await graded({
        expected_behaviors: [BEHAVIORS[0]!],
        mock_tools: [{ ...mock, succeeds_when: CONDITION }, charge],
      });
      expect([inSentence.verdicts, inSentence.readings]).toEqual([inMock.verdicts, inMock.readings]);
    }
  });

  test("a mock tool's condition of success is frozen into the run with the project's mock tool, and a test's mock tool replaces it", async () => {
    const { mockTool } = await server.client.mockTools.create({
      tool: "verify_identity",
      answer: { rank: 2, status: "active" },
      succeedsWhen: CONDITION,
      agentIds: [target.agentId],
    });
    const ofProject = await graded({ expected_behaviors: BEHAVIORS.slice(0, 1), mock_tools: [charge] });
    expect(ofProject.verdicts).toEqual(["failed"]);
    await server.client.mockTools.edit({ mockToolId: mockTool.id, succeedsWhen: null });
    await server.client.simulations.regrade({ simulationId: ofProject.simulationId });
    const again = await played(server, ofProject.runId);
    expect(again.simulations[0]!.grades.map(({ verdict }) => verdict)).toContain("failed");
    const afterwards = await graded({ expected_behaviors: BEHAVIORS.slice(0, 1), mock_tools: [charge] });
    expect(afterwards.verdicts).toEqual(["inconclusive"]);
    const own = { tool: "verify_identity", answer: { rank: 2, status: "active" }, succeeds_when: "rank = 2" };
    const ofTest = await graded({ expected_behaviors: BEHAVIORS.slice(0, 1), mock_tools: [own, charge] });
    expect(ofTest.verdicts).toEqual(["passed"]);
    await server.client.mockTools.delete({ mockToolId: mockTool.id });
  });

  test("a mock tool's condition of success that cannot be read is refused where it is written, with the correction", async () => {
    const mock = { tool: "verify_identity", answer: 1 };
    for (const [condition, words] of [
      ["when it feels right", /like `verified = true/],
      ['name = "Ana', /does not close/],
      ["code = /(/", /A \( is not closed/],
    ] as const) {
      const issues = (path: string) => ({
        code: "unprocessable",
        details: { issues: [{ path, message: expect.stringMatching(words) }] },
      });
      await expect(
        server.client.tests.create(aTest({ mock_tools: [charge, { ...mock, succeeds_when: condition }] })),
      ).rejects.toMatchObject(issues("mock_tools.1.succeeds_when"));
      await expect(
        server.client.tests.import({
          tests: [{ ...aTest(), mock_tools: [{ ...mock, succeeds_when: condition }] }],
        }),
      ).rejects.toMatchObject(issues("tests.0.mock_tools.0.succeeds_when"));
      await expect(
        server.client.mockTools.create({ ...mock, tool: freshName("tool"), succeedsWhen: condition }),
      ).rejects.toMatchObject(issues("succeedsWhen"));
    }
  });
});
