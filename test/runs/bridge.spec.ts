import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aSpan, attribute } from "../support/otlp.ts";
import { bridgeStarted, consoleConnection, played, type Scenario, startRun, versionsOf } from "../support/runs.ts";
import { keySettings } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

/** Sends the span of one answer, as the agent's process in this attempt does. */
function sendAnswer(
  client: SharedServer["client"],
  { simulationId, attempt }: { simulationId: string; attempt: number | undefined },
  number: number,
  text: string,
) {
  const span = aSpan({
    traceId: `${number}`.repeat(32),
    spanId: `${number}`.repeat(16),
    attributes: [attribute("lk.speech_id", text), attribute("lk.response.text", text)],
  });
  const identity = { "svc.session_id": simulationId, "svc.simulation_attempt": attempt };
  const attributes = Object.entries(identity).map(([key, value]) => attribute(key, value));
  const scopeSpans = [{ scope: { name: "livekit-agents" }, spans: [span] }];
  const body = JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
  return client.traces.ingest({ body: Buffer.from(body), contentType: "application/json" });
}

type BridgedTools = { names: string[]; token: string; simulationId: string };

describe("an agent that only the client reaches", () => {
  const SCENARIO = "Caller says:\n- Hello.\n- How are you?";
  const call = (name: string, id: string) => ({ id, name, arguments: { a: 1 }, result: "done", error: null });

  async function spokenTo(scenario: Scenario, answerTo: (text: string, tools: BridgedTools) => Promise<object[]>) {
    const console = await consoleConnection(server.client);
    const testVersions = await versionsOf(server.client, [scenario]);
    const run = await startRun(server.client, { ...console, testVersions });
    const { simulationId, tools } = await bridgeStarted(server.client, run.id);
    let carried = await server.client.simulations.bridge({ simulationId });
    while (!carried.over) {
      const { message } = carried;
      const toolCalls = message ? await answerTo(message.text, { ...tools, simulationId }) : [];
      const answered = message && { toMessage: message.number, messages: ["I am fine."], toolCalls, ended: false };
      carried = await server.client.simulations.bridge({ simulationId, ...(answered && { answered }) } as never);
    }
    return (await played(server, run.id)).simulations[0]!;
  }

  test("an agent that only the client reaches receives each message over the bridge", async () => {
    const heard: string[] = [];
    const simulation = await spokenTo({ scenario: SCENARIO, behaviors: ['says "fine"', "calls greet"] }, async (text) =>
      heard.push(text) === 1 ? [call("greet", "1")] : [],
    );
    expect(heard).toEqual(["Hello.", "How are you?"]);
    expect(simulation).toMatchObject({
      endingReason: "persona_concluded",
      verdict: "passed",
      toolCalls: [{ name: "greet", mocked: false }],
    });
  });

  test("an agent that only the client reaches is noted on its ended run while none of its spans has arrived", async () => {
    const { id, runId, attempt } = await spokenTo({ scenario: SCENARIO, behaviors: ['says "fine"'] }, async () => []);
    const notes = async () => (await server.client.runs.get({ runId })).run.notes;
    expect(await until("the spans of the service", async () => (await notes())?.[0])).toMatch(
      /^The conversation has 1 span, none from the agent's worker so far\. Check that the worker sends its spans/,
    );
    expect((await server.client.runs.list({})).runs[0]).not.toHaveProperty("notes");
    await sendAnswer(server.client, { simulationId: id, attempt }, 7, "I am fine.");
    await until("no note", async () => (await notes())?.length === 0);
  });

  test("an agent that only the client reaches receives the names of the mocked tools; only calls that a mock answered count as mocked, in the order of the calls", async () => {
    const mockTools = ["charge", "refund"].map((tool) => ({ tool, answer: { by: "mock 1" } }));
    const behaviors = ["calls find_slot before charge", "calls charge before close"];
    const asked: unknown[] = [];
    const simulation = await spokenTo({ scenario: SCENARIO, behaviors, mockTools }, async (text, tools) => {
      if (text !== "Hello.") return [call("refund", "9")];
      expect(tools.names).toEqual(expect.arrayContaining(["charge", "refund"]));
      const ask = async () => {
        const url = `${server.url}/v1/simulations/${tools.simulationId}/tools/charge`;
        const headers = { authorization: `Bearer ${tools.token}`, "content-type": "application/json" };
        const body = JSON.stringify({ id: "2", arguments: { a: 1 } });
        return (await fetch(url, { method: "POST", headers, body })).json();
      };
      asked.push(await ask());
      return [call("find_slot", "1"), call("charge", "2"), call("close", "3")];
    });
    expect(asked).toEqual([{ result: { by: "mock 1" } }]);
    expect(simulation.verdict).toBe("passed");
    expect(simulation.toolCalls.map(({ name, mocked, result }) => [name, mocked, result])).toEqual([
      ["find_slot", false, "done"],
      ["charge", true, { by: "mock 1" }],
      ["close", false, "done"],
      ["refund", false, "done"],
    ]);
    expect(simulation.tools).toMatchObject({
      covered: ["charge"],
      uncovered: expect.arrayContaining(["refund"]),
      unmocked: ["close", "find_slot", "refund"],
    });
  });

  test("an agent that only the client reaches ends with the failure that the client reports when the process does not start", async () => {
    const testVersions = await versionsOf(server.client, [{ scenario: SCENARIO, behaviors: ['says "fine"'] }]);
    const run = await startRun(server.client, { ...(await consoleConnection(server.client)), testVersions });
    const { simulations } = await server.client.runs.simulations({ runId: run.id });
    const simulationId = simulations[0]!.id;
    await until("it is carried", async () => {
      const failed = { reason: "agent_error" as const, message: "The process ended with code 1." };
      return (await server.client.simulations.bridge({ simulationId, failed })).over;
    });
    expect((await played(server, run.id)).simulations[0]).toMatchObject({
      endingReason: "agent_error",
      verdict: "failed",
      message: "The process ended with code 1.",
    });
  });
});

describe("an agent whose simulation is played again after a restart of the service", () => {
  const settings = keySettings();
  const dataDir = mkdtempSync(join(tmpdir(), "svc-bridge-"));
  let restarted: TestServer;
  beforeAll(async () => {
    restarted = await startServer({ settings, dataDir });
  });
  afterAll(async () => {
    await restarted.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("an agent whose simulation is played again after a restart of the service has one conversation with the answers of the last attempt only, and a note about the spans of the others", async () => {
    const testVersions = await versionsOf(restarted.client, [
      { scenario: "Caller says:\n- Hello.", behaviors: ['says "second"', 'never says "first"'] },
    ]);
    const run = await startRun(restarted.client, { ...(await consoleConnection(restarted.client)), testVersions });
    const first = await bridgeStarted(restarted.client, run.id);
    await sendAnswer(restarted.client, first, 1, "I am the first process.");
    await restarted.close();
    restarted = await startServer({ settings, dataDir });
    const { simulationId, attempt } = await bridgeStarted(restarted.client, run.id);
    expect([first.attempt, attempt]).toEqual([1, 2]);
    await sendAnswer(restarted.client, { simulationId, attempt }, 2, "I am the second process.");
    // The exporter of the first process may still deliver its last spans.
    await sendAnswer(restarted.client, { simulationId, attempt: first.attempt }, 3, "The first process says goodbye.");
    let carried = await restarted.client.simulations.bridge({ simulationId });
    while (!carried.over) {
      const messages = ["I am the second process."];
      const answered = carried.message && { toMessage: carried.message.number, messages, toolCalls: [], ended: false };
      carried = await restarted.client.simulations.bridge({ simulationId, ...(answered && { answered }) });
    }
    const { simulations } = await played(restarted, run.id);
    expect(simulations[0]).toMatchObject({ verdict: "passed", attempt: 2 });
    const trace = await until("the spans of the last attempt are read", async () => {
      const found = await restarted.client.traces.get({ traceId: simulations[0]!.traceId! });
      return found.spanCount === 4 && found;
    });
    expect(trace).toMatchObject({ conversationId: simulationId, traceCount: 4, vocabulary: "platform_b" });
    expect(trace.turns.map(({ text }) => text)).toEqual(["I am the second process."]);
    expect(trace.quality.notes).toContainEqual({
      about: "earlier_attempts",
      sentence: expect.stringMatching(/^2 spans are of an earlier attempt/),
    });
  });
});
