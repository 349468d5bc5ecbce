import type { Simulation } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAgent } from "../torture/agent.ts";
import { refusalOf } from "../torture/flips.ts";
import { deletionLoad, faultsOfList } from "../torture/loads/deletions.ts";
import { editLoad } from "../torture/loads/edits.ts";
import { importLoad } from "../torture/loads/imports.ts";
import { ingestLoad, wordsOf } from "../torture/loads/ingest.ts";
import { keyLoad } from "../torture/loads/keys.ts";
import type { Access, Load } from "../torture/loads/load.ts";
import { faultsOfSimulation, faultsOfTraces, runLoad } from "../torture/loads/runs.ts";
import { signUpLoad } from "../torture/loads/sign-ups.ts";
import { drawsOf } from "../torture/random.ts";
import { NotStarted } from "../torture/service.ts";
import { FAST } from "./support/monitoring-pace.ts";
import { type FakePlatformA, openFakePlatformA } from "./support/platform-a/fake.ts";
import { startServer, type TestServer } from "./support/server.ts";

const STEPS = 4;

describe("the oracle of a load", () => {
  const draws = drawsOf("oracles");
  let server: TestServer;
  let platform: FakePlatformA;
  let agent: Awaited<ReturnType<typeof startAgent>>;
  let access: Access;
  beforeAll(async () => {
    platform = await openFakePlatformA();
    agent = await startAgent(draws);
    const settings = { SVC_OPEN_SIGNUP: "true", SVC_OUTBOUND_PRIVATE: "true", SVC_PLATFORM_A_BASE_URL: platform.url };
    server = await startServer({ settings, pace: FAST });
    const { url, client, admin, projectKey, dataDir } = server;
    access = { url, client, admin, projectKey, dataDir, draws };
  });
  afterAll(async () => {
    agent.stop();
    await server.stop();
    await platform.close();
  });

  const loads: [string, () => Load, RegExp][] = [
    ["ingest", ingestLoad, /^ingest: f+ has 0 of 3 spans/],
    ["edits", editLoad, /^edits: the versions of edited 0 differ/],
    ["keys", keyLoad, /^keys: planted is live, and the service answers it 401/],
    ["deletions", deletionLoad, /^deletions: f+ has 0 of 1 spans/],
    ["sign-ups", signUpLoad, /^sign-ups: planted@people.test cannot sign in/],
    ["imports", () => importLoad(platform), /^imports: call_that_the_platform_never_had is missing/],
    ["runs", () => runLoad(agent), /^runs: \d+ are listed, \d+ were started/],
  ];

  test.each(loads)(
    "%s finds no fault in a sound service, and finds a fact that the service never had",
    async (_, open, fault) => {
      const load = open();
      await load.prepare?.(access);
      for (let step = 0; step < STEPS; step++) await load.step(access);
      expect(load.acknowledged()).toBeGreaterThan(0);
      expect(await load.faults(access)).toEqual([]);
      load.plant();
      expect((await load.faults({ ...access, waitMs: 300 })).join("\n")).toMatch(fault);
    },
  );
});

describe("the oracle of a list", () => {
  const conversation = (traceId: string, spans: number) => ({
    traceId,
    spans,
    job: "",
    text: "",
    state: "live" as const,
  });
  const present = [conversation("a", 2), conversation("b", 3)];
  const erased = [conversation("c", 1)];
  const whole = [
    { traceId: "a", spanCount: 2 },
    { traceId: "b", spanCount: 3 },
  ];

  test.each([
    ["nothing", whole, []],
    ["a lost conversation", whole.slice(1), ["deletions: a has 0 of 2 spans"]],
    ["a doubled span", [{ traceId: "a", spanCount: 3 }, whole[1]!], ["deletions: a has 3 of 2 spans"]],
    ["a doubled conversation", [...whole, whole[0]!], ["deletions: a conversation is listed twice"]],
    [
      "a deleted conversation that came back",
      [...whole, { traceId: "c", spanCount: 1 }],
      ["deletions: c is listed again", "deletions: c is strange"],
    ],
  ])("finds %s", (_, list, faults) => expect(faultsOfList(present, erased, list)).toEqual(faults));

  test("finds a simulation without its conversation, a conversation without a simulation, and a doubled one", () => {
    const simulations = [
      { id: "s1", traceId: "a" },
      { id: "s2", traceId: "b" },
    ];
    expect(faultsOfTraces(simulations, ["a", "b"])).toEqual([]);
    expect(faultsOfTraces(simulations, ["b", "b", "c"])).toEqual([
      "runs: the conversation of s1 is not listed",
      "runs: the conversation c belongs to no simulation",
      "runs: a conversation is listed twice",
    ]);
  });
});

describe("the oracle of a simulation", () => {
  const simulation = (text: string, more: Partial<Simulation>) =>
    ({
      id: "s",
      status: "completed",
      verdict: "passed",
      endingReason: "persona_concluded",
      traceId: "a",
      turns: [{ text }],
      grades: [],
      ...more,
    }) as unknown as Simulation;
  const [kept, broken] = ["This is case 0.", "This is case 2."];
  const unknownTime = [
    { verdict: "inconclusive", reason: "No response time is known: No answer has a known end." },
  ] as never;

  test("accepts the verdict that the words deserve, and an unknown time", () => {
    expect(faultsOfSimulation(simulation(kept, {}))).toEqual([]);
    expect(faultsOfSimulation(simulation(broken, { verdict: "failed" }))).toEqual([]);
    expect(faultsOfSimulation(simulation(kept, { verdict: "inconclusive", grades: unknownTime }))).toEqual([]);
  });

  test.each<[string, Partial<Simulation>, RegExp]>([
    ["a false failed", { verdict: "failed" }, /a false failed/],
    ["a verdict without a reason", { verdict: "inconclusive" }, /instead of completed, passed/],
    [
      "an ending that is not the agent's",
      { status: "failed", verdict: "errored", endingReason: "stalled" },
      /instead of/,
    ],
    ["a conversation that is missing", { traceId: null }, /has no conversation/],
  ])("finds %s", (_, more, fault) => expect(faultsOfSimulation(simulation(kept, more)).join()).toMatch(fault));
});

test.each([
  ["a span twice", ["1", "1"], ["w 0", "w 1"], /shows a span twice/],
  ["a lost span", ["1"], ["w 0"], /shows 1 of 2 spans/],
  ["lost words", ["1", "2"], ["w 0", ""], /lost words/],
])("the oracle of words finds %s", async (_, ids, notes, fault) => {
  const spans = ids.map((spanId, at) => ({ spanId, attributes: { note: notes[at] } }));
  const client = { traces: { get: () => Promise.resolve({ spans, spansTruncated: false }) } } as never;
  expect((await wordsOf(client, { traceId: "a", spans: 2, text: "w" })).join()).toMatch(fault);
});

const SENTENCE = "relational.db is damaged: page 4 differs. Restore a backup.";
test.each([
  ["a sentence with exit code 1", "refused", new NotStarted(1, null, SENTENCE)],
  ["a signal", "bad", new NotStarted(null, "SIGSEGV", SENTENCE)],
  ["text of the engine", "bad", new NotStarted(1, null, `SqliteError: ${SENTENCE}`)],
  ["no sentence", "bad", new NotStarted(1, null, "damaged")],
])("a start on damaged files that ends with %s counts as %s", (_, is, error) => expect(refusalOf(error).is).toBe(is));
