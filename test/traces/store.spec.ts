import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TraceListRequest } from "../../packages/server/src/traces/rules.ts";
import { bodyOf, type Ingest, noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";
import { encodeProtobuf } from "../support/otlp.ts";

let ingest: Ingest;

const STARTED_MS = Date.now();
const START_NS = 1_795_251_159_000_000_000n;
const at = (seconds: number) => String(START_NS + BigInt(seconds) * 1_000_000_000n);
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

/**
 * Trace `n` starts at second `n` and lasts for `DURATIONS[n]` seconds. 40 traces of another project start together, so only ids order them.
 */
const DURATIONS = [5, 1, 3, 3, 8, 2, 0];
const TOGETHER = 40;

beforeAll(async () => {
  ingest = await openIngest();
  for (const [n, seconds] of DURATIONS.entries()) {
    const span = spanOf(n, 0, {
      startTimeUnixNano: at(n),
      endTimeUnixNano: seconds === 0 ? "0" : at(n + seconds),
      attributes: [text("gen_ai.agent.name", n % 2 === 0 ? "Ada" : "Bob"), text("session.id", `call_${n}%`)],
      status: { code: n === 3 ? 2 : 1 },
    });
    await ingest.take(1, [span]);
  }
  for (let n = 0; n < TOGETHER; n++)
    await ingest.take(2, [spanOf(100 + n, 0, { startTimeUnixNano: at(0), endTimeUnixNano: at(1) })]);
  await ingest.intake.drain();
});
afterAll(() => ingest.close());

const list = (request: Partial<TraceListRequest> = {}) =>
  ingest.store.reader.list({
    project: 1,
    limit: 100,
    sort: { by: "startedAt", descending: true },
    after: undefined,
    filters: noFilters,
    ...request,
  });

const numbersOf = async (request: Partial<TraceListRequest>) =>
  (await list(request)).rows.map((row) => Number.parseInt(row.traceId.slice(1), 16));

const filtered = (filters: Partial<TraceListRequest["filters"]>) =>
  numbersOf({ filters: { ...noFilters, ...filters } });

describe("the list of traces", () => {
  test.each([
    ["startedAt", true, [6, 5, 4, 3, 2, 1, 0]],
    ["startedAt", false, [0, 1, 2, 3, 4, 5, 6]],
    ["duration", true, [4, 0, 3, 2, 5, 1, 6]],
    ["duration", false, [6, 1, 5, 2, 3, 0, 4]],
  ] as const)("the list of traces is ordered by %s, descending %s", async (by, descending, order) => {
    expect(await numbersOf({ sort: { by, descending } })).toEqual(order);
  });

  test("the list of traces has the same rows on pages of any size as on one page", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom("startedAt" as const, "duration" as const),
        fc.boolean(),
        fc.constantFrom(1, 2),
        async (limit, by, descending, project) => {
          const sort = { by, descending };
          const whole = (await list({ project, sort })).rows;
          const paged = [];
          for (
            let page = await list({ project, sort, limit });
            ;
            page = await list({ project, sort, limit, after: page.next! })
          ) {
            paged.push(...page.rows);
            expect(page.rows.length).toBe(
              page.next ? limit : paged.length - Math.floor((paged.length - 1) / limit) * limit,
            );
            if (page.next === null) break;
          }
          expect(paged).toEqual(whole);
        },
      ),
      { numRuns: IS_LONG ? 25 : 4 },
    );
  });

  test("the list of traces is filtered by time, agent, status and source", async () => {
    expect(await filtered({ fromNs: START_NS + 2_000_000_000n, toNs: START_NS + 5_000_000_000n })).toEqual([4, 3, 2]);
    expect(await filtered({ agents: ["Bob"] })).toEqual([5, 3, 1]);
    expect(await filtered({ agents: ["bob"] })).toEqual([]);
    expect(await filtered({ status: "error" })).toEqual([3]);
    expect(await filtered({ status: "ok", agents: ["Bob"] })).toEqual([5, 1]);
    expect(await filtered({ source: "simulation" })).toEqual([]);
    expect(await filtered({ source: "production" })).toHaveLength(7);
  });

  test("a search ignores case and treats wildcards as ordinary characters", async () => {
    expect(await filtered({ search: "ADA" })).toEqual([6, 4, 2, 0]);
    expect(await filtered({ search: "call_3%" })).toEqual([3]);
    expect(await filtered({ search: "call%3" })).toEqual([]);
    expect(await filtered({ search: "callx3" })).toEqual([]);
    expect(await filtered({ search: "\\" })).toEqual([]);
    expect(await filtered({ search: "' OR 1=1 --" })).toEqual([]);
  });

  test("the list of traces has only the traces of its project", async () => {
    expect((await list({ project: 2 })).rows).toHaveLength(TOGETHER);
    expect((await list({ project: 3 })).rows).toEqual([]);
  });

  test("a search finds spoken words and agents in any case and Unicode form", async () => {
    const other = await openIngest();
    const say = (trace: number, words: string, agent: string) => [
      spanOf(trace, 0, { attributes: [text("gen_ai.agent.name", agent)] }),
      spanOf(trace, 1, { name: "user_turn", attributes: [text("lk.pii.user_transcript", words)] }),
    ];
    await other.take(1, say(1, "Where is my Zebra order?", "Çağrı"));
    await other.take(1, say(2, "Un cafe\u0301, s’il vous plaît", "I\u0307stanbul"));
    const search = async (text: string) => {
      const sort = { by: "startedAt" as const, descending: false };
      const request = { project: 1, limit: 9, sort, after: undefined, filters: { ...noFilters, search: text } };
      return (await other.store.reader.list(request)).rows.map((row) => [row.traceId, row.preview?.text]);
    };
    const zebra = [traceIdOf(1), "Where is my Zebra order?"];
    const cafe = [traceIdOf(2), "Un cafe\u0301, s’il vous plaît"];
    await other.intake.drain();
    expect(await search("zebra")).toEqual([zebra]);
    for (const text of ["caf\u00e9", "CAFE\u0301", "ｃａｆé", "\u0130STANBUL"])
      expect(await search(text), text).toEqual([cafe]);
    for (const text of ["C\u0327ag\u0306r", "çağ"]) expect(await search(text), text).toEqual([zebra]);
    await other.close();
  });
});

describe("a conversation", () => {
  test("a conversation has every field of its spans as sent, in order of start", async () => {
    const one = await openIngest();
    await one.take(1, [
      spanOf(1, 2),
      spanOf(1, 1, {
        kind: 3,
        endTimeUnixNano: "0",
        status: { code: 2, message: "timed out" },
        attributes: [text("a", 'é "quoted" 日本'), { key: "n", value: { intValue: "5" } }],
        events: [{ timeUnixNano: at(3), name: "exception", attributes: [text("type", "T")] }],
        links: [{ traceId: traceIdOf(9), spanId: "00000000000000aa" }],
      }),
    ]);
    await one.intake.drain();
    const found = await one.store.reader.find(1, traceIdOf(1));
    expect(found!.spans.map((span) => span.name)).toEqual(["step 1", "step 2"]);
    expect(found!.spans[0]).toMatchObject({
      traceId: traceIdOf(1),
      parentSpanId: "b000000000000000",
      kind: 3,
      endNs: null,
      status: "error",
      statusMessage: "timed out",
      attributes: { a: 'é "quoted" 日本', n: 5 },
      events: [{ timeNs: BigInt(at(3)), name: "exception", attributes: { type: "T" } }],
      links: [expect.objectContaining({})],
      resource: { "service.name": "voice-agent" },
      scopeName: "livekit-agents",
      scopeVersion: "1.2.6",
    });
    await one.close();
  });

  test("a conversation is null for another project and for an unknown trace", async () => {
    expect(await ingest.store.reader.find(2, traceIdOf(1))).toBeNull();
    expect(await ingest.store.reader.find(1, traceIdOf(999))).toBeNull();
  });

  test("a conversation contains only the earliest 10,000 spans and is then marked as truncated", async () => {
    const large = await openIngest();
    await large.take(
      1,
      Array.from({ length: 10_050 }, (_, i) => spanOf(1, i)),
    );
    await large.intake.drain();
    const found = (await large.store.reader.find(1, traceIdOf(1)))!;
    expect([found.spans.length, found.truncated, found.summary.spans]).toEqual([10_000, true, 10_050]);
    expect(found.spans.at(-1)!.name).toBe("step 9999");
    await large.close();
  });

  test("a conversation is truncated when a large shared resource, which each span repeats, exceeds the limit", async () => {
    const large = await openIngest();
    const values = Array.from({ length: 20 }, () => ({ stringValue: "x".repeat(50_000) }));
    const resource = { attributes: [{ key: "labels", value: { arrayValue: { values } } }] };
    const spans = Array.from({ length: 200 }, (_, i) => spanOf(1, i));
    const body = encodeProtobuf({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    await large.intake.take({ ...bodyOf(1, []), chunks: [body] });
    await large.intake.drain();
    const found = (await large.store.reader.find(1, traceIdOf(1)))!;
    expect([found.truncated, found.summary.spans]).toEqual([true, 200]);
    expect(found.spans.length).toBeLessThan(70);
    expect(found.spans[0]!.resource).toHaveProperty("labels");
    await large.close();
  });
});

test("the time of a project's last span is known, and is null before its first span", async () => {
  const last = await ingest.store.reader.lastSentMs(1);
  expect(last).toBeGreaterThanOrEqual(STARTED_MS);
  expect(last).toBeLessThanOrEqual(Date.now());
  expect(await ingest.store.reader.lastSentMs(3)).toBeNull();
});
