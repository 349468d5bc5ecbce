import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import { unknownId } from "../support/world.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };

/** An agent that greets, asks for the number of nights, books a room and says goodbye. */
async function clerk(spoken: Spoken) {
  if (spoken.event === "start") return { message: "Hello, this is the Grand Hotel. How can I help you?" };
  if (/book/i.test(spoken.message!)) return { message: "Gladly. How many nights will you stay?" };
  if (/night/i.test(spoken.message!)) {
    const { result } = (await useTool(spoken, "book_room", { nights: 2 })) as { result: { code: string } };
    return { message: `Booked. Your confirmation code is ${result.code}. Anything else?` };
  }
  return { message: "Thank you for calling, goodbye!", ended: true };
}

const BOOKING = {
  scenario: `Ana Silva calls to book a double room for two nights from Friday.
Says: I would like to book a double room.
Says: No, that is all. Thank you.
Facts: nights = two nights`,
  behaviors: [
    "calls book_room with nights=2",
    "says /confirmation code/i",
    "never calls refund",
    "Is warm and friendly.",
  ],
  mockTools: [{ tool: "book_room", answer: { code: "XK-42" } }],
};

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(clerk);
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

describe("a run over HTTP chat", () => {
  test("a run over HTTP chat plays each test, grades it and shows the evidence of each verdict", async () => {
    const testVersions = await versionsOf(server.client, [BOOKING]);
    const { id } = await startRun(server.client, { ...target, testVersions, name: "first" });
    const { run, simulations } = await played(server, id);
    expect(run).toMatchObject({
      status: "completed",
      simulationCount: 1,
      passedVerdicts: 0,
      notGradedVerdicts: 1,
      passRate: 0,
      caller: "scripted",
    });
    const [simulation] = simulations;
    expect(simulation).toMatchObject({
      status: "completed",
      endingReason: "agent_ended",
      endedBy: "agent",
      verdict: "not_graded",
      behaviorsGraded: 3,
      behaviorCount: 4,
      tools: { discovered: ["book_room"], covered: ["book_room"], uncovered: [], unmocked: [] },
    });
    expect(simulation!.turns.map(({ role }) => role).slice(0, 3)).toEqual(["agent", "caller", "agent"]);
    expect(simulation!.toolCalls).toMatchObject([
      { name: "book_room", arguments: { nights: 2 }, result: { code: "XK-42" }, mocked: true },
    ]);
    const behaviors = simulation!.grades.filter(({ counts, decidedBy }) => counts && decidedBy !== "built_in");
    expect(behaviors.map(({ verdict, decidedBy }) => [verdict, decidedBy])).toEqual([
      ["passed", "check"],
      ["passed", "check"],
      ["passed", "check"],
      ["not_graded", "none"],
    ]);
    expect(behaviors.map(({ criterion }) => criterion)).toEqual(BOOKING.behaviors);
    const { readings } = await server.client.tests.readBehaviors({ behaviors: BOOKING.behaviors });
    expect(behaviors.map(({ reading }) => reading)).toEqual(readings.map(({ reading }) => reading));
    expect(simulation!.grades.filter(({ counts }) => !counts).map(({ reading }) => reading)).not.toContain(undefined);
    expect(behaviors[1]!.evidence[0]).toMatchObject({ quote: expect.stringContaining("confirmation code") });
  });

  test("a run over HTTP chat is a conversation in the trace store, with the source `simulation`", async () => {
    const testVersions = await versionsOf(server.client, [BOOKING]);
    const { id } = await startRun(server.client, { ...target, testVersions });
    const [simulation] = (await played(server, id)).simulations;
    const trace = await until("the conversation is derived", async () => {
      const found = await server.client.traces.get({ traceId: simulation!.traceId! });
      return found.turnCount !== null && found;
    });
    expect(trace).toMatchObject({ vocabulary: "simulation", source: "simulation", conversationId: simulation!.id });
    expect(trace.turns.map(({ text }) => text)).toEqual(simulation!.turns.map(({ text }) => text));
    expect(trace.toolCalls).toMatchObject([{ name: "book_room", result: { code: "XK-42" } }]);
    const listed = await server.client.traces.list({ source: "simulation" });
    expect(listed.traces.map(({ conversationId }) => conversationId)).toContain(simulation!.id);
    const ofRun = await server.client.traces.list({ runId: id, agentId: target.agentId });
    expect(ofRun.traces.map(({ conversationId }) => conversationId)).toEqual([simulation!.id]);
    for (const other of [{ agent: "Nobody" }, { agentId: unknownId("agt") }])
      expect((await server.client.traces.list({ runId: id, ...other })).traces).toEqual([]);
    const elsewhere = await server.admin.projects.create({ name: "Elsewhere" });
    const asked = { runId: id, projectId: elsewhere.project.id };
    expect((await server.admin.traces.list(asked)).traces).toEqual([]);
  });

  test("a run over HTTP chat sends each event once, until the run is done", async () => {
    const testVersions = await versionsOf(server.client, [BOOKING]);
    const { id } = await startRun(server.client, { ...target, testVersions, iterations: 3 });
    const kinds: string[] = [];
    for (let after = 0, done = false; !done;) {
      const page = await server.client.runs.events({ runId: id, after, wait: 5 });
      kinds.push(...page.events.map((event) => (event.kind === "simulation" ? event.status : event.kind)));
      ({ next: after, done } = page);
    }
    const count = (kind: string) => kinds.filter((other) => other === kind).length;
    expect([count("run"), count("running"), count("completed"), count("grade")]).toEqual([3, 3, 3, 3]);
  });
});
