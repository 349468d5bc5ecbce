import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ComparedQuantity } from "@svc/contract";
import { seeded } from "../../packages/server/src/base/seeded.ts";
import { traceIdOf } from "../support/ingest.ts";
import { graded } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { sendCalls, type VersionedCall } from "../support/versioned-calls.ts";

const FROM_MS = Date.UTC(2026, 10, 16);
const PERIOD = { from: "2026-11-16T00:00:00.000Z", to: "2026-11-18T00:00:00.000Z" };
const CALLS = 30;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ productionPace: { everyMs: 100 } });
  await server.client.graders.create({
    name: "Promises nothing",
    definition: { kind: "check", check: 'never says "guarantee"' },
    scope: "production",
  });
  const next = seeded("calls of two versions");
  const calls = ["41", "42", "43"].flatMap((version, at) =>
    Array.from({ length: CALLS }, (_, call): VersionedCall => {
      const isWorse = version === "42";
      return {
        trace: 1 + at * CALLS + call,
        version,
        startMs: FROM_MS + call * 1_000_000 + at,
        latencyMs: Array.from({ length: 8 }, () => (isWorse ? 1_500 : 800) + Math.round(next() * 200)),
        tools: Array.from({ length: 3 }, () => next() < (isWorse ? 0.8 : 0.05)),
        fails: isWorse && next() < 0.7,
        says: isWorse && call % 10 < 8 ? "I guarantee it." : "Yes.",
      };
    }),
  );
  await sendCalls(server, server.client, calls);
  for (const { trace } of calls) await graded(server.client, trace);
}, 120_000);
afterAll(() => server.stop());

const compare = async (version: string, other: string, more = {}) =>
  (await server.client.agentVersions.compare({ agent: "Hotel", version, with: other, ...PERIOD, ...more })).comparison;
const find = (quantities: readonly ComparedQuantity[], label: string) =>
  quantities.find((quantity) => quantity.label === label)!;

describe("two versions of an agent in production", () => {
  test("a quantity that got worse is in the comparison of two versions with its name and the numbers of both", async () => {
    const comparison = await compare("41", "42");
    const { quantities, words, differs, first, second } = comparison;
    expect([first, second]).toEqual([
      { version: "41", conversations: CALLS, compared: CALLS },
      { version: "42", conversations: CALLS, compared: CALLS },
    ]);
    expect(differs).toBe(true);
    const latency = find(quantities, "Response latency p95");
    expect(latency).toMatchObject({
      kind: "measure",
      measure: "response_latency",
      statistic: "p95",
      unit: "ms",
      verdict: "worse",
    });
    expect(latency.first).toMatchObject({ n: CALLS * 8, conversations: CALLS });
    expect(latency.difference).toBeGreaterThan(500);
    expect(latency.low).toBeGreaterThan(0);
    expect(latency.high).toBeGreaterThan(latency.difference!);
    for (const [label, kind] of [
      ["Conversations with an error", "errors"],
      ["Failed tool calls", "failed_tool_calls"],
      ["Failed by Promises nothing", "grader"],
    ] as const)
      expect(find(quantities, label), label).toMatchObject({ kind, verdict: "worse", unit: "ratio" });
    expect(find(quantities, "Failed by Promises nothing")).toMatchObject({
      first: { value: 0, n: CALLS, hits: 0 },
      second: { value: 0.8, n: CALLS, hits: 24 },
      difference: 0.8,
    });
    expect(words[0]).toContain("worse: Conversations with an error");
    expect(words.at(-1)).toContain("no proof of its cause");
  });

  test("the other direction is better, and equal versions show no difference", async () => {
    expect(find((await compare("42", "41")).quantities, "Response latency p95").verdict).toBe("better");
    const equal = await compare("41", "43");
    expect(equal.differs).toBe(false);
    expect(new Set(equal.quantities.map(({ verdict }) => verdict))).toEqual(new Set(["no_difference_shown"]));
    expect(equal.words[0]).toContain("No difference shown");
  });

  test("the same request has the same answer", async () => {
    expect(await compare("41", "42")).toEqual(await compare("41", "42"));
  });

  test("few conversations of a shorter period say so", async () => {
    const few = await compare("41", "42", { to: "2026-11-16T02:00:00.000Z" });
    expect(few.first).toEqual({ version: "41", conversations: 8, compared: 8 });
    expect(new Set(few.quantities.map(({ verdict }) => verdict))).toEqual(new Set(["too_few"]));
    expect(few.words[0]).toContain("Too few");
  });

  test("an unknown version or agent has no conversation, and is named", async () => {
    const unknown = await compare("41", "44");
    expect(unknown).toMatchObject({ differs: false, quantities: [], second: { conversations: 0, compared: 0 } });
    expect(unknown.words.join(" ")).toContain("No production conversation of Hotel with the version 44");
    expect((await compare("41", "42", { agent: "Nobody" })).quantities).toEqual([]);
  });

  test("a version beside itself and an empty period are refused", async () => {
    await expect(compare("41", "41")).rejects.toMatchObject({ status: 422, code: "unprocessable" });
    await expect(compare("41", "42", { from: PERIOD.to, to: PERIOD.from })).rejects.toMatchObject({ status: 400 });
    await expect(compare("41", "")).rejects.toMatchObject({ status: 400 });
  });

  test("an alert rule of a version watches its conversations alone", async () => {
    const rule = {
      watch: { kind: "measure", measure: "response_latency", statistic: "mean" },
      condition: { is: "above", value: 1_200 },
      windowMinutes: 1_440,
    } as const;
    const agents = ["Hotel"];
    const valuesOf = async (agentVersions: string[]) => {
      const { series } = await server.client.alertRules.preview({ ...rule, agents, agentVersions, days: 60 });
      return series[0]!.windows.flatMap(({ value, samples }) => (value === null ? [] : [[value > 1_200, samples]]));
    };
    const all = (await valuesOf([])).reduce((sum, [, samples]) => sum + Number(samples), 0);
    expect(all).toBe(3 * CALLS * 8);
    expect(await valuesOf(["42"])).toEqual([[true, CALLS * 8]]);
    expect((await valuesOf(["41", "43"])).every(([isBad]) => isBad === false)).toBe(true);
    const { alertRule } = await server.client.alertRules.create({ ...rule, name: "Slow", agentVersions: ["42"] });
    expect(alertRule.agentVersions).toEqual(["42"]);
  });

  test("a deleted conversation leaves the comparison", async () => {
    await server.client.traces.delete({ traceId: traceIdOf(1) });
    expect((await compare("41", "42")).first).toEqual({ version: "41", conversations: CALLS - 1, compared: CALLS - 1 });
  });
});
