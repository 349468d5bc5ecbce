import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Simulation } from "@svc/contract";
import fc from "fast-check";
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
import { faultOf, faultOfTime } from "../torture/operation-bodies.ts";
import { drawsOf } from "../torture/random.ts";
import { busyShareOf, compareTimes, faultsOfMemory, faultsOfReads } from "../torture/readers.ts";
import { type Canary, faultsOfAnswers, faultsOfFile, faultsOfLog } from "../torture/secrets.ts";
import { NotStarted } from "../torture/service.ts";
import { faultsOfPair } from "../torture/tenants.ts";
import { bytesBelow } from "../torture/traces-of-text.ts";
import { FAST } from "./support/monitoring-pace.ts";
import { type FakePlatformA, openFakePlatformA } from "./support/platform-a/fake.ts";
import type { Reply } from "./support/request.ts";
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
  ])("the oracle of a list finds %s", (_, list, faults) => expect(faultsOfList(present, erased, list)).toEqual(faults));

  test("the oracle of a list finds a simulation without its conversation, a conversation without a simulation, and a doubled one", () => {
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

  test("the oracle of a simulation accepts the verdict that the words deserve, and an unknown time", () => {
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
  ])("the oracle of a simulation finds %s", (_, more, fault) =>
    expect(faultsOfSimulation(simulation(kept, more)).join()).toMatch(fault),
  );
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

describe("the oracle of secrets", () => {
  const KEY = "svc_sk_aQ3-planted_secret-91xYz";
  const canaries: Canary[] = [
    { name: "key", value: KEY },
    { name: "token", value: "token-of-a-session-0123456789", handedOut: true },
    { name: "own file", value: "the-content-of-the-file-itself", file: "auth-secret" },
    { name: "key in a span", value: "a-key-that-a-sender-put-there", stored: true },
  ];
  const forms: [string, (text: string) => Buffer][] = [
    ["as it is", (text) => Buffer.from(text)],
    ["in base64", (text) => Buffer.from(Buffer.from(text).toString("base64"))],
    ["in base64 for addresses", (text) => Buffer.from(Buffer.from(text).toString("base64url"))],
    ["in hexadecimal", (text) => Buffer.from(Buffer.from(text).toString("hex"))],
    ["percent-encoded", (text) => Buffer.from(encodeURIComponent(text))],
  ];

  test.each(forms)("the oracle of secrets finds a secret %s in a file, in the log and in an answer", (_, encode) => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const bytes = encode(`${before}${KEY}${after}`);
        const text = bytes.toString();
        expect(faultsOfFile("relational.db-wal", bytes, canaries)).toEqual(["the file relational.db-wal has the key"]);
        expect(faultsOfLog(text, canaries)).toEqual([{ fault: "the log has the key", value: KEY }]);
        expect(faultsOfAnswers([{ what: "GET /v1/keys", text }], canaries)).toEqual([
          "the answer to GET /v1/keys has the key",
        ]);
      }),
      { numRuns: 30 },
    );
  });

  test("the oracle of secrets finds a secret in a compressed body of the journal", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-oracle-"));
    const record = Buffer.concat([Buffer.from("SVJ1"), gzipSync(`{"note":"${KEY}"}`), Buffer.from("SVJ1")]);
    writeFileSync(join(folder, "1.journal"), record);
    const faults = bytesBelow(folder).flatMap(({ file, bytes }) => faultsOfFile(file, bytes, canaries));
    rmSync(folder, { recursive: true });
    expect(faults).toEqual(["the file 1.journal has the key"]);
  });

  test("the oracle of secrets accepts a secret in its file, a stored one in any file, and one answer with a token that it hands out", () => {
    const [, token, own, stored] = canaries;
    expect(faultsOfFile("auth-secret", Buffer.from(own!.value), canaries)).toEqual([]);
    expect(faultsOfFile("1.journal", Buffer.from(stored!.value), canaries)).toEqual([]);
    const answers = ["sign-up", "session", "list"].map((what) => ({ what, text: `set-cookie: ${token!.value}` }));
    expect(faultsOfAnswers(answers.slice(0, 1), canaries)).toEqual([]);
    expect(faultsOfAnswers(answers, canaries)).toEqual([
      "the answer to session has the token",
      "the answer to list has the token",
    ]);
    expect(faultsOfFile("copy", Buffer.from(own!.value), canaries)).toEqual(["the file copy has the own file"]);
    expect(faultsOfLog(stored!.value, canaries)).toHaveLength(1);
  });
});

describe("the oracle of tenants", () => {
  const THEIRS = "tst_06ft2v8xk3n9q4w7r1y5z0aaaa";
  const MISSING = "tst_06ft2v8xk3n9q4w7r1y5z0abcd";
  const reply = (status: number, text: string, headers: Record<string, string> = {}): Reply => ({
    status,
    text,
    headers: new Headers({ date: new Date().toISOString(), "x-request-id": text.slice(-3), ...headers }),
    bytes: Buffer.from(text),
  });
  const faults = (theirs: Reply, missing: Reply, isChange?: boolean) =>
    faultsOfPair(theirs, missing, [THEIRS], isChange);

  test("the oracle of tenants accepts answers that differ only in their request id and in the id that the request named", () => {
    expect(faults(reply(404, `no ${THEIRS} in 001`), reply(404, `no ${MISSING} in 002`))).toEqual([]);
    expect(faults(reply(200, "made 1 in 001"), reply(200, "made 2 in 002"), true)).toEqual([]);
  });

  test.each<[string, Reply, Reply, boolean, string]>([
    ["a record that is shown", reply(200, "{}"), reply(404, "no"), false, "200 for theirs, 404 for a missing one"],
    ["a change that happens", reply(200, "{}"), reply(404, "no"), true, "200 for theirs, 404 for a missing one"],
    ["another refusal", reply(403, "no"), reply(404, "no"), false, "403 for theirs, 404 for a missing one"],
    ["other words", reply(404, "it exists  "), reply(404, "it does not"), false, "the bytes differ"],
    ["other words of a refused change", reply(422, "one 001"), reply(422, "two 001"), true, "the bytes differ"],
    ["another header", reply(404, "no", { etag: "1" }), reply(404, "no"), false, "the bytes differ"],
    ["a longer list", reply(200, "[1] 001"), reply(200, "[]  001"), false, "the bytes differ"],
    ["a fault", reply(500, "no 001"), reply(500, "no 001"), false, "500"],
  ])("the oracle of tenants finds %s", (_, theirs, missing, isChange, fault) =>
    expect(faults(theirs, missing, isChange)).toContain(fault),
  );
});

describe("the oracle of mutated bodies", () => {
  const reply = (status: number, text: string): Reply => ({
    status,
    text,
    headers: new Headers(),
    bytes: Buffer.from(text),
  });

  test("the oracle of mutated bodies accepts a success, a refusal with its reason, and an unreachable provider", () => {
    const refusals = [reply(400, '{"error":"invalid_request","message":"Send an object."}')];
    const away = reply(503, '{"error":"provider_unavailable","message":"It is away."}');
    expect([reply(201, "{}"), reply(204, ""), ...refusals, away].map(faultOf)).toEqual(Array(4).fill(undefined));
  });

  test.each<[string, Reply | string]>([
    ["a fault", reply(500, '{"error":"internal","message":"A fault."}')],
    ["a busy service", reply(503, '{"error":"busy","message":"Busy."}')],
    ["a refusal without a reason", reply(400, "{}")],
    ["a refusal that is no JSON", reply(400, "Bad Request")],
    ["a connection that breaks", "TypeError: fetch failed"],
  ])("the oracle of mutated bodies finds %s", (_, answer) => expect(faultOf(answer)).toBeTypeOf("string"));

  test("the oracle of mutated bodies finds an answer after more than 2 s, unless it waits for another host", () => {
    expect(faultOfTime("tests.create", 2_001)).toMatch(/2001 ms/);
    expect([faultOfTime("tests.create", 2_000), faultOfTime("singleSignOn.set", 9_000)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("the oracle of readers", () => {
  test("the oracle of readers accepts whole answers, refusals of a busy service, and memory and times within their limits", () => {
    expect(faultsOfReads({ statuses: { 200: 190, 503: 10 }, failures: [] })).toEqual([]);
    expect(faultsOfMemory(350, 649)).toEqual([]);
    expect(compareTimes("ingest", [20, 30], [50, 60]).fault).toBeUndefined();
    // Below 25 ms, a ratio of two times depends mostly on the scheduler of the machine.
    expect(compareTimes("ingest", [1, 2], [40, 49]).fault).toBeUndefined();
  });

  test("the oracle of readers knows how busy a machine was between two looks", () => {
    const [from, to] = [[{ idle: 100, all: 400 }], [{ idle: 175, all: 500 }]];
    expect(busyShareOf(from, to)).toBe(0.25);
    expect(busyShareOf(from, from)).toBe(1);
  });

  test("the oracle of readers finds a wrong status, a connection that breaks, memory that grows, and requests that wait", () => {
    expect(faultsOfReads({ statuses: { 200: 199, 500: 1 }, failures: [] })).toEqual([
      'readers got {"500":1,"failures":0}',
    ]);
    expect(faultsOfReads({ statuses: { 200: 199 }, failures: ["socket hang up"] })).toEqual([
      'readers got {"failures":1}',
    ]);
    expect(faultsOfMemory(350, 651)).toEqual(["memory grew by 301 MB"]);
    const quiet = Array.from({ length: 200 }, () => 30);
    const busy = [...quiet.slice(4), 61, 62, 63, 64];
    expect(compareTimes("health", quiet, busy).fault).toMatch(/^health slowed down: p99 30 ms quiet, 6\d ms/);
  });
});
