import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ListedSimulation, Run } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";

const AGENT = fileURLToPath(new URL("../support/console-agent.ts", import.meta.url));
const MARK = `--title=svc-agent-${process.pid}`;
const COMMAND = `${process.execPath} ${MARK} --conditions=svc-source ${AGENT}`;

type Result = { run: Run; simulations: ListedSimulation[] };

let server: TestServer;
let home: ReturnType<typeof openHome>;
const start = (args: string[], env = {}) =>
  home.svc(["runs", "start", "--test", "Asks for the weather", "--json", ...args], { env });

/** Starts a run, and starts it again when a busy machine stalled the service, because the agent then gets no verdict. */
const startUnstalled = (env: Record<string, string>) =>
  until("a run without a stall of the service", async () => {
    const { exitCode, stdout } = await start(["--agent-command", COMMAND], env);
    const [simulation] = (JSON.parse(stdout) as Result).simulations;
    return simulation!.endingReason !== "stalled" && { exitCode, simulation: simulation! };
  });

beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  await server.client.agents.register({ name: "clinic" });
  const expected_behaviors = [
    'says "clinic speaking" within first turn',
    "calls get_weather with city=Paris",
    'says "sunny in Paris"',
  ];
  const scenario = "Caller says:\n- What is the weather in Paris?\n- Bye";
  await server.client.tests.create(aTest({ name: "Asks for the weather", scenario, expected_behaviors }));
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

/** Returns the lines of the process table that name this spec's agent. */
const processes = () =>
  execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(MARK));

test("an agent's process is tested by text, and the service reads the conversation from the spans of the agent", async () => {
  const { exitCode, stdout, stderr } = await start(["--agent-command", COMMAND, "--iterations", "2"]);
  const { run, simulations } = JSON.parse(stdout) as Result;
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(run).toMatchObject({ connectionType: "platform_b_console", passedVerdicts: 2, concurrency: 4, notes: [] });
  const { simulation } = await server.client.simulations.get({ simulationId: simulations[0]!.id });
  expect(simulation.turns.map(({ role, text }) => [role, text])).toEqual([
    ["agent", "Hello, clinic speaking."],
    ["caller", "What is the weather in Paris?"],
    ["agent", "It is sunny in Paris."],
    ["caller", "Bye"],
    ["agent", "Goodbye!"],
  ]);
  expect(simulation.toolCalls).toMatchObject([
    { name: "get_weather", arguments: { city: "Paris" }, result: "Paris: sunny, 21C", error: null, mocked: false },
  ]);
  const trace = await until("the service has read the spans of the agent", async () => {
    const found = await server.client.traces.get({ traceId: simulation.traceId! });
    return found.vocabulary === "platform_b" && found.turnCount !== null && found;
  });
  expect(trace).toMatchObject({ conversationId: simulation.id, source: "simulation" });
  expect(trace.spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["simulation", "agent_session", "llm_node"]),
  );
  expect(trace.turns.map(({ text }) => text)).toContain("It is sunny in Paris.");
  // The agent synthesizes its greeting before the command switches its audio off.
  expect(trace.spans.map(({ name }) => name)).toContain("tts_node");
  expect(trace.measures.find(({ name }) => name === "words_per_minute")).toMatchObject({
    provenance: "unavailable",
    reason: "The conversation was typed, not spoken.",
  });
});

test("a worker with a wrong key passes its tests, and the run says that its spans are missing and what the worker said", async () => {
  const setsWrongKey = `--import 'data:text/javascript,process.env.SVC_API_KEY="svc_"+"sk_"+"x".repeat(43)'`;
  const command = COMMAND.replace(process.execPath, `${process.execPath} ${setsWrongKey}`);
  const args = ["runs", "start", "--test", "Asks for the weather", "--agent-command", command];
  const { exitCode, stdout } = await home.svc(args);
  expect(exitCode).toBe(0);
  const words = stdout.replaceAll(/\s+/g, " ");
  expect(words).toContain("Result 1 passed");
  expect(words).toContain(
    "The conversation has 1 span, none from the agent's worker so far. Check that the worker sends",
  );
  expect(words).toMatch(/The agent's process said: .*\[svc\] .*(?:does not know the key|were not delivered)/);
  const [run] = (await server.client.runs.list({ pageSize: 1 })).runs;
  expect((await server.client.runs.get({ runId: run!.id })).run.notes).toEqual([
    expect.stringMatching(/^The conversation has 1 span, none from the agent's worker so far\./),
  ]);
});

test("the mock tools of a test answer inside the agent's process", async () => {
  const mock_tools = [{ tool: "get_weather", answer: "Paris: rain, 8C" }];
  const scenario = "Caller says:\n- What is the weather in Paris?\n- Bye";
  const expected_behaviors = ["calls get_weather with city=Paris", 'says "rains in Paris"', 'never says "sunny"'];
  await server.client.tests.create(aTest({ name: "Asks in the rain", scenario, expected_behaviors, mock_tools }));
  const whole = `${COMMAND} console --connect-addr {address}`;
  const command = ["runs", "start", "--test", "Asks in the rain", "--agent-command", whole, "--json"];
  const { exitCode, stdout } = await home.svc(command);
  const { simulations } = JSON.parse(stdout) as Result;
  expect([exitCode, simulations[0]!.verdict]).toEqual([0, "passed"]);
  const { simulation } = await server.client.simulations.get({ simulationId: simulations[0]!.id });
  expect(simulation.toolCalls).toMatchObject([
    { name: "get_weather", arguments: { city: "Paris" }, result: "Paris: rain, 8C", mocked: true },
  ]);
  expect(simulation.tools).toMatchObject({ covered: ["get_weather"], unmocked: [] });

  const bypassed = await home.svc(command, { env: { AGENT_UNMONITORED: "yes" } });
  expect(bypassed.exitCode).toBe(1);
  const shown = await home.svc(["simulations", "show", (JSON.parse(bypassed.stdout) as Result).simulations[0]!.id]);
  expect(shown.stdout).toMatch(/get_weather \{"city":"Paris"\} \(not mocked\)/);
  expect(shown.stdout).toMatch(/Mock bypassed +get_weather \(call monitor_platform_b\(ctx\) in the agent's process/);
});

test.each([
  ["at the start", /The agent's process ended with code 7\./],
  ["in a tool", /The agent's process ended with code 9\. Its last output:[^]*starting the tool with svc_sk_…/],
  ["by a signal", /The agent's process ended with (?:SIGABRT|code 134)\. Its last output:[^]*starting the tool/],
  ["and stays alive", /^The agent.* Its last (?:output|error):[^]*the calendar is gone/],
])(
  "a process that crashes %s fails as the agent's error, with its exit and its last output",
  async (moment, message) => {
    const { exitCode, simulation } = await startUnstalled({ AGENT_CRASHES: moment });
    expect([exitCode, simulation]).toEqual([
      1,
      expect.objectContaining({
        endingReason: "agent_error",
        verdict: "failed",
        message: expect.stringMatching(message),
      }),
    ]);
    expect(simulation.message).not.toContain(server.projectKey);
  },
);

test("a process that never starts has no verdict", async () => {
  const missing = await start(["--agent-command", "no-such-agent-here"]);
  expect([missing.exitCode, (JSON.parse(missing.stdout) as Result).simulations[0]]).toEqual([
    2,
    expect.objectContaining({
      verdict: "errored",
      message: expect.stringMatching(/before it connected\. Its last output:[^]*not found/),
    }),
  ]);
});

test("a job that fails before it connects ends at once, and its own error is the message", async () => {
  const { exitCode, simulation } = await startUnstalled({ AGENT_CRASHES: "before it connects" });
  expect([exitCode, simulation]).toEqual([
    1,
    expect.objectContaining({
      endingReason: "agent_never_joined",
      verdict: "failed",
      message: expect.stringMatching(/its job failed, and did not connect\. Its last [^]*SVC_API_KEY is not set/),
    }),
  ]);
});

test("an interrupt cancels the run and ends all processes", async () => {
  const started = home.start(["runs", "start", "--test", "Asks for the weather", "--agent-command", COMMAND], {
    AGENT_HANGS: "yes",
  });
  await until("the agent is spoken to", async () => {
    const { runs } = await server.client.runs.list({ status: "running" });
    const { simulations } = await server.client.runs.simulations({ runId: runs[0]!.id });
    // One of these lines is the process of the command itself, whose arguments name the agent.
    return processes().length > 1 && simulations[0]!.status === "running";
  });
  started.kill("SIGINT");
  const { exitCode, stderr } = await started.ended;
  expect([exitCode, stderr]).toEqual([
    130,
    expect.stringMatching(/The run run_\w+ is canceled, because its agents ran in this command/),
  ]);
  expect(processes()).toEqual([]);
  expect((await server.client.runs.list()).runs[0]).toMatchObject({ status: "canceled" });
});
