import { IS_LONG } from "../support/long-form.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Ingest, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { liveKitRequest } from "../support/livekit-request.ts";
import { until } from "../support/until.ts";
import { encodeProtobuf, type OtlpSpan } from "../support/otlp.ts";

let ingest: Ingest;
beforeAll(async () => void (ingest = await openIngest()));
afterAll(() => ingest.close());

/** All tests of this file share one store, so each test uses projects of its own. */
let project = 0;
beforeEach(() => void (project += 1_000));

async function read(of: number, trace: number) {
  await ingest.intake.drain();
  return (await ingest.store.reader.find(of, traceIdOf(trace)))!;
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

const withoutTime = <T extends { summary: { lastReceivedMs: number } }>({ summary, ...rest }: T) => ({
  ...rest,
  summary: { ...summary, lastReceivedMs: 0 },
});

describe("a trace's sums", () => {
  test("a trace's sums are right when the root comes last", async () => {
    await ingest.take(project, [spanOf(1, 2), spanOf(1, 1, { status: { code: 2 } })]);
    const before = await read(project, 1);
    expect(before.summary).toMatchObject({
      rootName: null,
      rootEnded: false,
      spans: 2,
      errors: 1,
      service: "voice-agent",
    });
    const ended = { endTimeUnixNano: "1795251999000000000" };
    await ingest.take(project, [spanOf(1, 0, ended)]);
    const after = await read(project, 1);
    expect(after.summary).toMatchObject({ rootName: "session", rootEnded: true, spans: 3, errors: 1 });
    expect(after.summary.startedNs).toBe(after.spans[0]!.startNs);
    expect(after.summary.endedNs).toBe(1_795_251_999_000_000_000n);
  });

  test("a trace's sums have the name of its earliest root span and agent, and of the conversation by the attribute of the highest rank", async () => {
    const child = (number: number, ...attributes: OtlpSpan["attributes"] & object) => spanOf(1, number, { attributes });
    await ingest.take(project, [child(5, text("session.id", "weak"), text("gen_ai.agent.name", "later"))]);
    await ingest.take(project, [child(6, text("lk.job_id", "B"))]);
    await ingest.take(project, [child(7, text("lk.job_id", "A"))]);
    await ingest.take(project, [child(2, text("gen_ai.agent.name", "earlier"))]);
    await ingest.take(project, [spanOf(1, 9, { parentSpanId: "", name: "second root" })]);
    await ingest.take(project, [spanOf(1, 0, { name: "first root" })]);
    expect((await read(project, 1)).summary).toMatchObject({
      conversation: "A",
      agent: "earlier",
      rootName: "first root",
    });
  });

  test("a trace's sums are the same however the spans are split, repeated and shuffled", async () => {
    const generated = liveKitRequest(5, { spans: 60, conversations: 1 }).resourceSpans![0]!.scopeSpans![0]!.spans!;
    const spans = generated.map((span) => ({ ...span, traceId: traceIdOf(1) }));
    await ingest.take(project, spans);
    const whole = withoutTime(await read(project, 1));
    expect(whole.summary).toMatchObject({
      spans: 60,
      turns: expect.any(Number),
      preview: { text: expect.any(String) },
    });
    const parts = fc.array(fc.shuffledSubarray(spans, { minLength: 1 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (subsets, drains) => {
        project++;
        for (const subset of subsets) {
          await ingest.take(project, [...subset, ...subset.slice(0, 3)]);
          if (drains) await ingest.intake.drain();
        }
        const rest = new Set(subsets.flat());
        const missing = spans.filter((span) => !rest.has(span));
        if (missing.length > 0) await ingest.take(project, missing);
        expect(withoutTime(await read(project, 1))).toEqual(whole);
      }),
      { numRuns: IS_LONG ? 12 : 3 },
    );
  });

  test("a trace's sums stay exact when a span is resent after a restart", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-loader-"));
    let restarted = await openIngest({ dataDir });
    await restarted.take(1, [spanOf(1, 0), spanOf(1, 1), spanOf(2, 0)]);
    await restarted.close();
    restarted = await openIngest({ dataDir });
    await restarted.take(1, [spanOf(1, 1), spanOf(1, 2), spanOf(3, 0)]);
    await restarted.intake.drain();
    expect((await restarted.traces()).map((row) => row.spans)).toEqual([1, 1, 3]);
    expect((await restarted.store.reader.find(1, traceIdOf(1)))!.spans).toHaveLength(3);
    await restarted.close();
    rmSync(dataDir, { recursive: true });
  });

  test("a trace's sums cover a body with more spans than one commit holds", async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => spanOf(1 + (i % 3), i));
    expect(await ingest.take(project, many)).toMatchObject({ accepted: 20_000 });
    expect(await ingest.take(project, [...many.slice(8_000, 18_000), spanOf(9, 1)])).toMatchObject({
      accepted: 10_001,
    });
    await ingest.intake.drain();
    const rows = await ingest.traces(project);
    expect(rows.map((row) => row.spans).sort((a, b) => a - b)).toEqual([1, 6_666, 6_667, 6_667]);
  });

  test("a span that comes twice counts twice until its conversation is derived, and then once", async () => {
    await ingest.take(project, [spanOf(1, 0), spanOf(1, 1, { status: { code: 2 } })]);
    await read(project, 1);
    await ingest.take(project, [spanOf(1, 1, { status: { code: 2 } })]);
    await ingest.intake.loaded();
    const [received] = await ingest.traces(project);
    expect(received).toMatchObject({ isRead: false, spans: 3, errors: 2 });
    const whole = await read(project, 1);
    expect(whole.summary).toMatchObject({ isRead: true, spans: 2, errors: 1 });
    expect(whole.spans).toHaveLength(2);
  });
});

test("spans that come again count once and do not change the time of the last span, once their conversation is derived", async () => {
  const spans = [spanOf(1, 0), spanOf(1, 1, { status: { code: 2 } }), spanOf(1, 2)];
  await ingest.take(project, spans);
  const { summary } = await read(project, 1);
  await until("a later moment", () => Date.now() > summary.lastReceivedMs + 5);
  await ingest.take(project, spans.toReversed());
  expect((await read(project, 1)).summary).toEqual(summary);
  await ingest.take(project, [spanOf(1, 3)]);
  const later = (await read(project, 1)).summary;
  expect(later).toMatchObject({ spans: 4, errors: 1 });
  expect(later.lastReceivedMs).toBeGreaterThan(summary.lastReceivedMs);
});

describe("the first report of a span", () => {
  test("the first report of a span stays, and a later one with the same ids is ignored", async () => {
    await ingest.take(project, [spanOf(1, 1, { name: "first" })]);
    await ingest.take(project, [spanOf(1, 1, { name: "second" }), spanOf(1, 2)]);
    const { spans } = await read(project, 1);
    expect(spans.map((span) => span.name)).toEqual(["first", "step 2"]);
  });

  test("the first report of a span does not affect a span of another project or trace with the same id", async () => {
    await ingest.take(project, [spanOf(1, 1), spanOf(2, 1)]);
    await ingest.take(project + 1, [spanOf(1, 1)]);
    for (const [of, trace] of [
      [project, 1],
      [project, 2],
      [project + 1, 1],
    ] as const)
      expect((await read(of, trace)).spans).toHaveLength(1);
  });
});

test("a large body of several conversations gives each a row with its turns", async () => {
  const body = encodeProtobuf(liveKitRequest(3, { spans: 128, conversations: 4 }));
  await ingest.intake.take({ project, encoding: "protobuf", compression: "identity", chunks: [body] });
  await ingest.intake.drain();
  const rows = await ingest.traces(project);
  expect(rows.map((row) => row.spans)).toEqual([32, 32, 32, 32]);
  for (const row of rows) expect(row).toMatchObject({ turns: expect.any(Number), toolCalls: expect.any(Number) });
});
