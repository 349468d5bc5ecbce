import { spawn } from "node:child_process";
import type { Metrics, TraceSummary } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileOf } from "../support/code/programs.ts";
import { openHome } from "../support/cli.ts";
import { answerJson, openFakeService } from "../support/fake-service.ts";
import { attribute, encodeJson, type OtlpSpan } from "../support/otlp.ts";
import { requestOf } from "../support/ingest.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const PROGRAM = fileOf("svc");

let server: SharedServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

/** Returns the span of a tool call that took `tookMs`, in its own conversation some minutes ago. */
const toolCall = (number: number, minutesAgo: number, tookMs: number): OtlpSpan => ({
  traceId: `9${String(number).padStart(31, "0")}`,
  spanId: `9${String(number).padStart(15, "0")}`,
  name: "function_tool",
  startTimeUnixNano: `${Date.now() - minutesAgo * 60_000}000000`,
  endTimeUnixNano: `${Date.now() - minutesAgo * 60_000 + tookMs}000000`,
  attributes: [attribute("lk.function_tool.name", "look"), attribute("gen_ai.agent.name", "clinic")],
});

const take = (spans: OtlpSpan[]) =>
  server.client.traces.ingest({ body: encodeJson(requestOf(spans)), contentType: "application/json" });

test("`svc metrics` says where to look when the period has no measures", async () => {
  const { exitCode, stdout } = await home.svc(["metrics"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("svc traces list")]);
});

test("each agent and measure has a line with a chart, and --json has the same values", async () => {
  await take([...[1, 2, 3, 4, 5].map((n) => toolCall(n, 24 * 60, 100)), ...[6, 7, 8].map((n) => toolCall(n, 5, 900))]);
  const args = ["metrics", "--measure", "tool_latency", "--days", "3", "--bucket", "day"];
  const { series } = await until("the samples", async () => {
    const metrics = await home.json<Metrics>(args);
    return metrics.series[0]?.buckets.reduce((sum, { samples }) => sum + samples, 0) === 8 && metrics;
  });
  expect(series).toMatchObject([{ agentName: "clinic", source: "production", unit: "ms", measure: "tool_latency" }]);
  const { exitCode, stdout } = await home.svc(args);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^AGENT +MEASURE +SAMPLES +LAST P50 +LAST P95 +LAST MEAN +MEAN BY DAY\n/);
  expect(stdout).toMatch(/\nclinic +Tool latency +8 +\S+( ms)? +\? +\d+ ms +│[·▁█]+│\n$/);
  expect(stdout).toMatch(/▁█│|▄·*│/);
});

test("an unknown measure is refused with the known names", async () => {
  const { exitCode, stderr } = await home.svc(["metrics", "--measure", "charm"]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("--measure: Use names of measures, separated by commas: response_latency, "),
  ]);
});

test("`traces remap` says of how many conversations the turns and measures are derived again", async () => {
  const none = await home.svc(["traces", "remap"]);
  expect([none.exitCode, none.stdout]).toEqual([0, expect.stringMatching(/^Nothing to do: version \d+/)]);
  const { traces } = await server.client.traces.list();
  const all = await home.svc(["traces", "remap", "--all"]);
  expect([all.exitCode, all.stdout]).toEqual([
    0,
    expect.stringContaining(`Derived ${traces.length} conversations again`),
  ]);
});

/** Starts `svc traces tail --json`, and collects its standard output and its standard error. */
function startTail(url: string) {
  const env = {
    PATH: process.env.PATH,
    HOME: home.folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SVC_URL: url,
    SVC_API_KEY: server.projectKey,
  };
  const tail = spawn(process.execPath, [PROGRAM, "traces", "tail", "--json", "--last", "1", "--interval", "1"], {
    env,
  });
  const ended = new Promise((resolve) => tail.on("exit", (code, signal) => resolve(code ?? signal)));
  let [printed, said] = ["", ""];
  tail.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  tail.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const lines = () =>
    printed
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as TraceSummary);
  return { lines, said: () => said, interrupt: () => tail.kill("SIGINT"), ended };
}

test("`traces tail` prints existing conversations, then new ones, and ends with Ctrl-C", async () => {
  const tail = startTail(server.url);
  try {
    const [first] = await until("the last one", () => tail.lines().length > 0 && tail.lines());
    await take([toolCall(99, 1, 5)]);
    const lines = await until(
      "the new one",
      () => tail.lines().some(({ turnCount, traceId }) => traceId.endsWith("99") && turnCount !== null) && tail.lines(),
    );
    expect(lines.filter(({ traceId }) => traceId === first!.traceId)).toHaveLength(1);
  } finally {
    tail.interrupt();
  }
  expect(await tail.ended).toBe(0);
});

test("`traces tail` continues after an outage of the service, and reports the outage once", async () => {
  await take([toolCall(70, 2, 5)]);
  let reachable = true;
  const between = await openFakeService(({ url, headers }, response) => {
    if (!reachable) return void response.socket!.destroy();
    const forwarded = fetch(server.url + url, { headers: { authorization: headers.authorization! } });
    void forwarded.then(async (answer) => answerJson(response, answer.status, await answer.json()));
  });
  const tail = startTail(between.url);
  try {
    await until("the last one", () => tail.lines().length > 0);
    reachable = false;
    await until("the note", () => tail.said() !== "");
    await take([toolCall(77, 1, 5)]);
    const lookedBefore = between.received.length;
    await until("another look", () => between.received.length > lookedBefore + 1);
    reachable = true;
    await until("the new one", () => tail.lines().some(({ traceId }) => traceId.endsWith("77")));
    expect(tail.said()).toMatch(/^[^\n]*Trying again[^\n]*\n$/);
  } finally {
    tail.interrupt();
    await between.close();
  }
  expect(await tail.ended).toBe(0);
});
