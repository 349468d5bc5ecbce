import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest } from "../support/world.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
let reply: (spoken: Spoken) => object;

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent((spoken) =>
    spoken.event === "start" ? { message: "Hello, how can I help you?" } : reply(spoken),
  );
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});
beforeEach(() => {
  agent.heard.length = 0;
  reply = () => ({ message: "Would you like me to go on?" });
});

const BEHAVIORS = ["calls book_room", 'never says "refund"'];

async function run(scenarios: readonly string[]) {
  const testVersions = await versionsOf(
    server.client,
    scenarios.map((scenario) => ({ scenario, behaviors: BEHAVIORS })),
  );
  const { id } = await startRun(server.client, { ...target, testVersions });
  return played(server, id);
}

const words = ({ turns }: { turns: { role: string; text: string | null }[] }) =>
  turns.flatMap(({ role, text }) => (role === "caller" ? [text] : []));

/** Scenarios as people write them. A caller that read them aloud would speak about the agent or about itself. */
const OPENERS = [
  "The agent must offer a voucher before a refund, and must not say anything else about refunds.",
  "Maria Lopez, born 12 March 1984, wants an appointment with Dr. Chen next week.",
  "A caller wants to cancel. The agent is expected to ask for the reason.",
  "The caller's card was declined. They call to find out why. If asked for a deposit, refuse.",
  "Expected: the agent verifies identity before it reads the balance.",
  "An elderly man who does not hear well calls to ask the agent to speak up.",
  "Wrong number. The caller thinks that this is a pizza shop and hangs up when told otherwise.",
  "The booking system is down. The agent should say so, and the caller tries to talk it into a booking.",
];

describe("a scenario without a line", () => {
  test.each(OPENERS)("a scenario without a line is never recited to the agent: %s", async (scenario) => {
    const { run: ended, simulations } = await run([scenario]);
    expect(agent.heard).toEqual([]);
    expect(simulations).toMatchObject([
      {
        status: "failed",
        endingReason: "no_caller_lines",
        endedBy: "service",
        verdict: "not_graded",
        turnCount: 0,
        behaviorsGraded: 0,
        message: expect.stringMatching(
          /Add a `Says:` line to the scenario \(docs\/callers\.md\), or set a language model\.$/,
        ),
      },
    ]);
    expect(ended).toMatchObject({ status: "completed", passedVerdicts: 0, failedVerdicts: 0, erroredVerdicts: 0 });
  });

  test("a scenario without a line is no reason to stop the tests that have one", async () => {
    const { simulations } = await run([...OPENERS.slice(0, 4), "Ana calls.\nSays: A room, please."]);
    const played = simulations.filter(({ endingReason }) => endingReason === "persona_concluded");
    const unplayed = simulations.filter(({ endingReason }) => endingReason === "no_caller_lines");
    expect([played.length, unplayed.length]).toEqual([1, 4]);
  });

  test("a scenario without a line is named in the plan with the fix", async () => {
    const made = [];
    for (const [index, scenario] of [OPENERS[0]!, "Ana.\nFacts: name = Ana", "Ana.\nSays: Hi."].entries())
      made.push(await server.client.tests.create(aTest({ name: `Planned ${index}`, scenario })));
    const testVersions = made.map(({ version_id }) => version_id);
    const answer = await server.client.runs.create({ ...target, testVersions, dryRun: "true" });
    if (!("plan" in answer)) throw new Error("no plan");
    expect(answer.plan.tests.map(({ playable }) => playable)).toEqual([false, false, true]);
    expect(answer.plan.warnings).toContain(
      'The scripted caller has no line in "Planned 0", "Planned 1": no simulation is played and no verdict is made. Add a `Says:` line to the scenario (docs/callers.md), or set a language model.',
    );
  });
});

describe("a scenario with lines", () => {
  test.each(OPENERS)("a scenario with lines is played with its lines alone: %s", async (scenario) => {
    const { simulations } = await run([
      `${scenario}\n\nSays: I have a question.\nSays: Goodbye.\nFacts: name = Ana Silva`,
    ]);
    expect(words(simulations[0]!)).toEqual(["I have a question.", "Goodbye."]);
    expect(simulations[0]).toMatchObject({ endingReason: "persona_concluded", verdict: "failed" });
    expect(simulations[0]!.turns.at(-1)!.role).toBe("agent");
  });

  test("a scenario with lines gives its facts when the agent asks, and agrees to nothing that the author did not write", async () => {
    const questions = [
      "What is your name?",
      "Shall I take a deposit of 100 dollars?",
      "Your phone number, please.",
      "Bye.",
    ];
    reply = () => ({ message: questions.shift() ?? "Bye." });
    const { simulations } = await run([
      "If asked for a deposit, refuse.\nSays: A room, please.\nSays (when the agent asks /deposit/): No, I will not pay a deposit.\nFacts: name = Ana Silva; phone = 555-0134",
    ]);
    expect(words(simulations[0]!)).toEqual([
      "A room, please.",
      "Ana Silva.",
      "No, I will not pay a deposit.",
      "555-0134.",
    ]);
  });

  test("a scenario with lines whose wait is not met ends the call and says so", async () => {
    const { simulations } = await run(["Says: A room, please.\nSays (after /booked/): Thank you."]);
    expect(words(simulations[0]!)).toEqual(["A room, please."]);
    expect(simulations[0]).toMatchObject({
      endingReason: "persona_concluded",
      message: 'The caller waited for /booked/, and the agent said "Would you like me to go on?".',
    });
  });
});

describe("a broken line is refused where the test is written", () => {
  const broken = { scenario: "Ana.\nSays (after /(/): Yes." };
  const refusal = { status: 422, message: expect.stringMatching(/waits for \/\(\/\. The pattern cannot be read/) };

  test("a broken line is refused where the test is written on creation, edit and import, with the fix", async () => {
    const { tests } = server.client;
    await expect(tests.create(aTest(broken))).rejects.toMatchObject(refusal);
    const made = await tests.create(aTest({}));
    const edit = { testId: made.id, expected_version_id: made.version_id, ...broken };
    await expect(tests.edit(edit)).rejects.toMatchObject(refusal);
    await expect(tests.import({ tests: [aTest(broken)], dry_run: true })).rejects.toMatchObject(refusal);
  });
});
