import { afterAll, beforeAll, expect, test } from "vitest";
import { bridgeStarted, consoleConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { runWorker, VERSIONS } from "../support/worker.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

test.each(VERSIONS)(
  "on the %s version the service answers a tool with a mock, and a tool without a mock runs as usual",
  async (version) => {
    const mockTools = [{ tool: "book", answer: "booked" }];
    const scenario = "Caller says:\n- Hello.";
    const testVersions = await versionsOf(server.client, [{ scenario, behaviors: ["calls book"], mockTools }]);
    const run = await startRun(server.client, { ...(await consoleConnection(server.client)), testVersions });
    const { simulationId, tools } = await bridgeStarted(server.client, run.id);
    const { message } = await server.client.simulations.bridge({ simulationId });

    const { truth, counters } = await runWorker({
      version,
      modes: ["text"],
      env: {
        SVC_URL: server.url,
        SVC_API_KEY: server.projectKey,
        SVC_SIMULATION_ID: simulationId,
        SVC_SIMULATION_TOOLS: JSON.stringify(tools),
      },
    });
    expect(truth.tools).toMatchObject([
      { name: "get_weather", output: '"Paris: sunny, 21C"', isError: false },
      { name: "book", output: '"booked"', isError: false },
    ]);
    expect(truth.items.map(({ text }) => text)).toContain("Booked for Tuesday.");
    expect(counters).toMatchObject({ dropped: 0, refused: 0 });

    const toolCalls = truth.tools.map(({ id, name, args }) => ({
      id,
      name,
      arguments: JSON.parse(args) as object,
      result: "as told",
      error: null,
    }));
    const answered = { toMessage: message!.number, messages: ["Booked for Tuesday."], toolCalls, ended: true };
    await server.client.simulations.bridge({ simulationId, answered });
    const [simulation] = (await played(server, run.id)).simulations;
    expect(simulation).toMatchObject({
      verdict: "passed",
      toolCalls: [
        { name: "get_weather", mocked: false, result: "as told" },
        { name: "book", mocked: true, result: "booked", arguments: { day: "Tuesday" } },
      ],
      tools: { covered: ["book"], uncovered: [], unmocked: ["get_weather"] },
    });
  },
);

test("a mock that answers with an error makes the tool call fail with the mock's text", async () => {
  const mockTools = [
    { tool: "book", error: "slot is taken" },
    { tool: "get_weather", answer: "Paris: sunny, 21C" },
  ];
  const testVersions = await versionsOf(server.client, [
    { scenario: "Caller says:\n- Hello.", behaviors: ["calls book"], mockTools },
  ]);
  const run = await startRun(server.client, { ...(await consoleConnection(server.client)), testVersions });
  const { simulationId, tools } = await bridgeStarted(server.client, run.id);
  const env = {
    SVC_URL: server.url,
    SVC_API_KEY: server.projectKey,
    SVC_SIMULATION_ID: simulationId,
    SVC_SIMULATION_TOOLS: JSON.stringify(tools),
  };
  const { truth } = await runWorker({ version: "newest", modes: ["text"], env });
  expect(truth.tools).toMatchObject([{ isError: false }, { name: "book", output: "slot is taken", isError: true }]);
  await server.client.runs.cancel({ runId: run.id });
});
