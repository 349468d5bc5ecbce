import { drawsOfCases, IS_LONG } from "../support/long-form.ts";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ingest, noFilters, openIngest, spanIdOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { encodeJson, type OtlpRequest, type OtlpSpan } from "../support/otlp.ts";

const casesOf = drawsOfCases();
const CAPTURES = fileURLToPath(new URL("../fixtures/otlp-captures/", import.meta.url));
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

let ingest: Ingest;
let project = 0;
beforeAll(async () => {
  ingest = await openIngest();
});
afterAll(() => ingest.close());

/** Returns one request for each span of a recorded call, with the given attributes added to the span. */
function recorded(set: string, ...stamp: OtlpSpan["attributes"] & object): OtlpRequest[] {
  const files = readdirSync(CAPTURES + set).filter((file) => /\.(decoded|otlp)\.json$/.test(file));
  const bodies = files.map((file) => JSON.parse(readFileSync(join(CAPTURES, set, file), "utf8")) as OtlpRequest);
  return bodies.flatMap(({ resourceSpans }) =>
    resourceSpans!.flatMap((of) =>
      of.scopeSpans!.flatMap((scope) =>
        scope.spans!.map((span) => ({
          resourceSpans: [
            {
              ...of,
              scopeSpans: [{ ...scope, spans: [{ ...span, attributes: [...(span.attributes ?? []), ...stamp] }] }],
            },
          ],
        })),
      ),
    ),
  );
}

/** Returns one request with the spans of all requests. */
const joined = (requests: readonly OtlpRequest[]): OtlpRequest => ({
  resourceSpans: requests.flatMap(({ resourceSpans }) => resourceSpans!),
});

const take = (of: Ingest, number: number, requests: readonly OtlpRequest[]) =>
  of.intake.take({
    project: number,
    encoding: "json",
    compression: "identity" as const,
    chunks: [Buffer.from(encodeJson(joined(requests)))],
  });

/** Returns every conversation of a project as a reader gets it, without the time of arrival. */
async function seen(of: Ingest, number: number) {
  await of.intake.drain();
  const rows = await of.traces(number);
  const whole = await Promise.all(rows.map(({ traceId }) => of.store.reader.find(number, traceId)));
  return whole.map((found) => ({ ...found!, summary: { ...found!.summary, lastReceivedMs: 0 } }));
}

describe("the traces of one job", () => {
  const spans = recorded("js-1.6.4-voice");

  test("the traces of one job are one conversation, which each of their ids finds", async () => {
    const number = ++project;
    await take(ingest, number, spans);
    const [whole, ...others] = await seen(ingest, number);
    expect(others).toEqual([]);
    expect(whole!.spans).toHaveLength(44);
    expect(whole!.summary).toMatchObject({
      conversation: "AJ_123",
      traces: 3,
      spans: 44,
      turns: 7,
      toolCalls: 1,
      isRead: true,
      rootName: "agent_session",
      rootEnded: true,
    });
    expect(whole!.summary.traceIds[0]).toBe(whole!.summary.traceId);
    expect(new Set(whole!.spans.map((span) => span.traceId))).toEqual(new Set(whole!.summary.traceIds));
    for (const traceId of whole!.summary.traceIds) {
      const found = (await ingest.store.reader.find(number, traceId))!;
      expect({ ...found, summary: { ...found.summary, lastReceivedMs: 0 } }).toEqual(whole);
    }
  });

  test("the traces of one job give the same conversation in any order, in any batches, sent twice, and read in between", async () => {
    const whole = ++project;
    await take(ingest, whole, spans);
    const expected = await seen(ingest, whole);
    const cuts = fc.array(fc.nat(spans.length), { maxLength: 3 });
    const orders = fc.shuffledSubarray(spans, { minLength: spans.length });
    await fc.assert(
      fc.asyncProperty(orders, cuts, fc.boolean(), async (order, at, settles) => {
        const number = ++project;
        const bounds = [0, ...at.toSorted((a, b) => a - b), order.length];
        for (let part = 1; part < bounds.length; part++) {
          const some = order.slice(bounds[part - 1], bounds[part]);
          if (some.length > 0) await take(ingest, number, [...some, some[0]!]);
          if (settles) await ingest.intake.drain();
        }
        expect(await seen(ingest, number)).toEqual(expected);
      }),
      { numRuns: IS_LONG ? 15 : 3 },
    );
  });

  test("the traces of one job give the same conversation when the service restarts between them", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-conversations-"));
    let restarted = await openIngest({ dataDir });
    await take(restarted, 1, spans);
    const expected = await seen(restarted, 1);
    for (const at of casesOf([1, 15, 30, 43], 2)) {
      await take(restarted, 1 + at, spans.slice(at));
      await restarted.close();
      restarted = await openIngest({ dataDir });
      await take(restarted, 1 + at, spans.slice(0, at));
      expect(await seen(restarted, 1 + at)).toEqual(expected);
    }
    await restarted.close();
    rmSync(dataDir, { recursive: true });
  });

  test("the traces of one job are a conversation of their project only", async () => {
    const [mine, theirs] = [++project, ++project];
    await take(ingest, mine, spans);
    await take(ingest, theirs, recorded("js-1.2.7-text"));
    expect((await seen(ingest, mine)).map(({ summary }) => summary.spans)).toEqual([44]);
    expect((await seen(ingest, theirs)).map(({ summary }) => summary.spans)).toEqual([30]);
    const { traceId } = (await ingest.traces(theirs))[0]!;
    expect(await ingest.store.reader.find(mine, traceId)).toBeNull();
  });
});

test.each([
  ["js-1.6.4-voice", "js-1.2.7-text"],
  ["js-1.2.7-text", "py-1.2.18-voice"],
])("%s and %s with one session id are one conversation", async (one, other) => {
  const stamp = text("svc.session_id", "stamped");
  const number = ++project;
  await take(ingest, number, recorded(one, stamp));
  await take(ingest, number, recorded(other, stamp));
  const found = await seen(ingest, number);
  const spans = recorded(one).length + recorded(other).length;
  expect(found.map(({ summary }) => [summary.conversation, summary.spans, summary.isRead])).toEqual([
    ["stamped", spans, true],
  ]);
  expect(found[0]!.spans).toHaveLength(spans);
});

test("a trace with only the job's id joins the traces whose session id is that id, in any order", async () => {
  const named = (trace: number, ...keys: string[]) =>
    spanOf(trace, 1, {
      name: "user_turn",
      attributes: [...keys.map((key) => text(key, "AJ_7")), text("lk.user_transcript", `Words of ${trace}.`)],
    });
  const spans = [
    named(1, "svc.session_id", "lk.job_id"),
    named(2, "lk.job_id"),
    named(3, "svc.session_id"),
    named(4, "job_id"),
  ];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(spans, { minLength: 4 }), fc.boolean(), async (order, settles) => {
      const number = ++project;
      for (const span of order) {
        await ingest.take(number, [span]);
        if (settles) await ingest.intake.drain();
      }
      const found = await seen(ingest, number);
      expect(
        found.map(({ summary }) => [summary.conversation, summary.traces, summary.turns, summary.preview?.text]),
      ).toEqual([["AJ_7", 4, 4, "Words of 1."]]);
    }),
    { numRuns: IS_LONG ? 8 : 3 },
  );
});

describe("a derived conversation", () => {
  const job = (name: string) => [text("lk.job_id", name)];
  const turn = (trace: number, number: number, name: string, said: string) =>
    spanOf(trace, number, { name: "user_turn", attributes: [...job(name), text("lk.user_transcript", said)] });

  test("a derived conversation is unknown from the arrival of a late span until that span is included", async () => {
    const number = ++project;
    await ingest.take(number, [spanOf(1, 0, { attributes: job("J") }), turn(1, 1, "J", "Hello?")]);
    await ingest.intake.drain();
    expect(await ingest.traces(number)).toMatchObject([{ isRead: true, turns: 1, rootEnded: true }]);
    await ingest.take(number, [turn(2, 1, "J", "Anyone there?")]);
    await ingest.intake.loaded();
    const states = [...(await ingest.traces(number))];
    for (const { isRead, turns, traces } of states)
      expect([isRead, turns, traces]).toEqual(isRead ? [true, 2, 2] : [false, null, traces]);
    await ingest.intake.drain();
    expect(await ingest.traces(number)).toMatchObject([
      { isRead: true, turns: 2, traces: 2, preview: { text: "Hello?", role: "user" } },
    ]);
  });

  test("a derived conversation changes when a trace moves to another conversation", async () => {
    const number = ++project;
    const weak = (trace: number, at: number, said: string) =>
      spanOf(trace, at, { name: "user_turn", attributes: [text("session.id", "S"), text("lk.user_transcript", said)] });
    await ingest.take(number, [weak(1, 1, "First."), weak(2, 1, "Second.")]);
    await ingest.intake.drain();
    expect(await ingest.traces(number)).toMatchObject([{ conversation: "S", turns: 2, traces: 2 }]);
    await ingest.take(number, [turn(2, 2, "J", "Third.")]);
    await ingest.intake.drain();
    expect(await ingest.traces(number)).toMatchObject([
      { conversation: "J", turns: 2, traces: 1, preview: { text: "Second." }, isRead: true },
      { conversation: "S", turns: 1, traces: 1, preview: { text: "First." }, isRead: true },
    ]);
  });

  test("a derived conversation is marked as truncated when it has more traces than the service reads at once", async () => {
    const number = ++project;
    const many = Array.from({ length: 1_050 }, (_, i) => spanOf(i, 1, { attributes: job("J") }));
    await ingest.take(number, many);
    await ingest.intake.drain();
    const [row, ...others] = await ingest.traces(number);
    expect([row!.traces, row!.spans, row!.traceIds.length, others]).toEqual([1_050, 1_050, 100, []]);
    const found = (await ingest.store.reader.find(number, traceIdOf(1_049)))!;
    expect([found.truncated, found.spans.length, found.spans[0]!.spanId]).toEqual([true, 1_000, spanIdOf(1)]);
  });
});

test("the pages of a list of conversations with several traces add up to the whole list, and a search finds each once", async () => {
  const number = ++project;
  const spans = Array.from({ length: 60 }, (_, i) =>
    spanOf(i, 1, {
      name: "user_turn",
      attributes: [text("lk.job_id", `job-${i % 20}`), text("lk.user_transcript", `Words of ${i % 20}, and Żółw.`)],
    }),
  );
  await ingest.take(number, spans);
  await ingest.intake.drain();
  const list = (sort: "startedAt" | "duration" | "latency", descending: boolean, limit: number, search?: string) => {
    const filters = { ...noFilters, search };
    return async (after?: { value: string; traceId: string }) =>
      ingest.store.reader.list({ project: number, limit, sort: { by: sort, descending }, after, filters });
  };
  for (const sort of ["startedAt", "duration", "latency"] as const) {
    for (const descending of [true, false]) {
      const whole = (await list(sort, descending, 100)()).rows;
      expect(new Set(whole.map(({ conversation }) => conversation)).size).toBe(20);
      const pages = [];
      const page = list(sort, descending, 7);
      for (let next = await page(); ; next = await page(next.next!)) {
        pages.push(...next.rows);
        if (next.next === null) break;
      }
      expect(pages).toEqual(whole);
    }
  }
  expect((await list("startedAt", true, 100, "ŻÓŁW")()).rows).toHaveLength(20);
  expect((await list("startedAt", true, 100, "words of 7,")()).rows.map((row) => row.conversation)).toEqual(["job-7"]);
});
