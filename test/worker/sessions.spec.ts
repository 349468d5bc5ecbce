import type { Trace } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { runWorker, type Version, VERSIONS } from "../support/worker.ts";
import type { SessionItem } from "../support/worker-clinic.ts";
import { conversationsOf } from "../support/worker-conversations.ts";
import type { WorkerReport } from "../support/worker-session.ts";

type Kind = "voice" | "text" | "realtime";
type Call = { trace: Trace; report: WorkerReport };

const GENERATION: Record<Version, string> = { oldest: "G1", newest: "G3" };
const jobOf = (version: Version, kind: Kind) => `AJ_${version}_${kind}`;

let server: SharedServer;
let voiceCalls: Record<Version, Call>;

beforeAll(async () => {
  server = await shareServer();
  const [oldest, newest] = await Promise.all([call("oldest", "voice"), call("newest", "voice")]);
  voiceCalls = { oldest, newest };
});
afterAll(() => server.stop());

async function call(
  version: Version,
  kind: Kind,
  job = jobOf(version, kind),
  more: Record<string, string> = {},
): Promise<Call> {
  const env = { SVC_URL: server.url, SVC_API_KEY: server.projectKey, JOB_ID: job, ...more };
  const report = await runWorker({ version, modes: [kind], env });
  const traces = await conversationsOf(server.client, job, report.counters.recorded);
  expect(traces).toHaveLength(1);
  return { report, trace: traces[0]! };
}

describe.each(VERSIONS)("a voice call on the %s version", (version) => {
  let trace: Trace;
  let report: WorkerReport;
  let items: SessionItem[];
  beforeAll(() => {
    ({ trace, report } = voiceCalls[version]);
    items = report.truth.items;
  });

  const samples = (name: string, ofTurn?: number) =>
    trace.measures
      .find((measure) => measure.name === name)!
      .samples.filter(({ turnIndex }) => ofTurn === undefined || turnIndex === ofTurn)
      .map(({ value }) => Math.round(value));

  test("the call is one complete conversation with the job's id and every span", () => {
    expectOneConversation(version, { trace, report }, jobOf(version, "voice"));
  });

  test("the call has the session's turns in order, including the greeting and the interruption", () => {
    expect(items).toHaveLength(7);
    // On a busy machine, the caller may interrupt a second answer too.
    const interrupted = items.filter((item) => item.interrupted);
    expect(interrupted.length).toBeGreaterThan(0);
    expect(trace.turns.map(said)).toEqual(items.map(itemSaid));
    expect(trace.turns.map(({ interrupted }) => interrupted === true)).toEqual(items.map((item) => item.interrupted));
    expect(samples("user_interruptions").filter((value) => value === 1)).toHaveLength(interrupted.length);
  });

  test("the call has the session's tool call and its result", () => {
    expectSameTools({ trace, report }, 1);
  });

  test.each([
    ["response_latency", "assistant", "e2eLatency"],
    ["end_of_utterance_delay", "user", "endOfTurnDelay"],
    ["transcription_delay", "user", "transcriptionDelay"],
    ["tts_time_to_first_byte", "assistant", "ttsNodeTtfb"],
  ])("the call has the session's own values of %s", (measure, role, metric) => {
    const own = items.filter((item) => item.role === role).map(({ metrics }) => metrics[metric]);
    const reported = own.filter((seconds) => seconds !== undefined);
    expect(reported.length).toBeGreaterThanOrEqual(3);
    // The session reports 0 when it does not know a time, for example when a word arrives after its turn on a busy machine.
    const known = reported.filter((seconds) => seconds > 0);
    expect(known.length).toBeGreaterThan(0);
    expect(samples(measure)).toEqual(known.map(ms));
  });

  test("the call has the session's own time to the first token of each answer", () => {
    const answers = [...items.entries()].filter(([, { metrics }]) => metrics.llmNodeTtft !== undefined);
    expect(answers).toHaveLength(3);
    for (const [index, { metrics }] of answers) {
      expect(samples("llm_time_to_first_token", index)).toContain(ms(metrics.llmNodeTtft!));
    }
  });

  test("the call has the times at which the agent stopped speaking", () => {
    for (const [index, { metrics, role }] of items.entries()) {
      if (role !== "assistant") continue;
      const endedMs = Date.parse(trace.turns[index]!.endedAt!);
      expect(Math.abs(endedMs - metrics.stoppedSpeakingAt! * 1000)).toBeLessThan(300);
    }
  });
});

test.each(VERSIONS)(
  "a typed call on the %s version has the session's turns, its tool calls and the failed tool call",
  async (version) => {
    const { trace, report } = await call(version, "text");
    expectOneConversation(version, { trace, report }, jobOf(version, "text"), "error");
    expect(report.truth.items).toHaveLength(6);
    expect(trace.turns.map(said)).toEqual(report.truth.items.map(itemSaid));
    expectSameTools({ trace, report }, 2);
    expect(trace.toolCalls.map(({ isError }) => isError)).toEqual([false, true]);
  },
);

test.each(VERSIONS)(
  "a speech-to-speech call on the %s version has the user's words at the time they were spoken, and the interruption",
  async (version) => {
    const { trace, report } = await call(version, "realtime");
    expectOneConversation(version, { trace, report }, jobOf(version, "realtime"));
    const items = report.truth.items;
    const words = (role: string) => items.filter((item) => item.role === role).map(({ text }) => text);
    const user = trace.turns.filter(({ role }) => role === "user");
    expect(user.map(({ text }) => text)).toEqual(words("user"));
    expect(trace.turns.map(({ role }) => role)).toEqual(["user", "agent", "user", "agent", "user", "agent"]);
    expect(trace.turns.map(({ interrupted }) => interrupted === true)).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
    for (const { startedAt, endedAt } of user) {
      const spokenMs = Date.parse(endedAt!) - Date.parse(startedAt);
      expect(spokenMs).toBeGreaterThan(400);
      expect(spokenMs).toBeLessThan(900);
    }
    const latencies = trace.measures.find(({ name }) => name === "response_latency")!.samples;
    expect(latencies.map(({ turnIndex }) => turnIndex)).toEqual([1, 3, 5]);
    expect(latencies.every(({ value }) => value > 100 && value < 1000)).toBe(true);
  },
);

test("a speech-to-speech call whose content is withheld has the user's turns and no words", async () => {
  const { trace } = await call("newest", "realtime", "AJ_withheld", { LIVEKIT_TELEMETRY_ALLOW_PII: "0" });
  expect(trace.turns.map(said)).toEqual(
    ["user", "agent", "user", "agent", "user", "agent"].map((role) => [role, null]),
  );
});

function expectOneConversation(
  version: Version,
  { trace, report: { counters } }: Call,
  job: string,
  status: Trace["status"] = "ok",
): void {
  expect(trace).toMatchObject({
    conversationId: job,
    agentName: "clinic",
    source: "production",
    rootName: "agent_session",
    complete: true,
    status,
    spanCount: counters.recorded,
    generation: GENERATION[version],
  });
  expect(trace.quality).toMatchObject({
    contentWithheld: false,
    rootMissing: false,
    unitsInferred: [],
    unmappedKeys: [],
  });
  expect(trace.spans.filter(({ parentSpanId }) => parentSpanId === null)).toHaveLength(1);
  expect(counters).toMatchObject({ refused: 0, dropped: 0, waiting: 0, delivered: counters.recorded });
}

const ms = (seconds: number) => Math.round(seconds * 1000);
const said = ({ role, text }: Trace["turns"][number]) => [role, text];
const itemSaid = ({ role, text }: SessionItem) => [role === "assistant" ? "agent" : role, text];

function expectSameTools({ trace, report: { truth } }: Call, count: number): void {
  expect(truth.tools).toHaveLength(count);
  expect(
    trace.toolCalls.map(({ name, arguments: args, result, isError }) => ({ name, args, result, isError })),
  ).toEqual(
    truth.tools.map(({ name, args, output, isError }) => ({
      name,
      args: JSON.parse(args) as unknown,
      result: isError ? output : (JSON.parse(output) as unknown),
      isError,
    })),
  );
}
