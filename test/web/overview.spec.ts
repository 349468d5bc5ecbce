import { describe, expect, test } from "vitest";
import { agentRows } from "../../packages/web/src/overview/agents-table.tsx";
import { countBars, countOf } from "../../packages/web/src/overview/conversations-card.tsx";
import { scaleOf } from "../../packages/web/src/ui/small-plots.tsx";
import { needsALook, newestFailedRuns, type RunResults } from "../../packages/web/src/overview/needs-a-look.ts";

const DAY = 86_400_000;
const run = (id: string, more: object = {}) =>
  ({ id, agentId: "agt_1", gradingSettled: true, failedVerdicts: 1, ...more }) as RunResults["run"];
const tool = (agentName: string, calls: number, errors: number, unknown = 0) =>
  ({ agentName, source: "production", tool: "book", calls, errors, unknown, buckets: [] }) as never;
const setup = (state: string, open_failures: number) => ({ health: { state }, agents: [{ open_failures }] }) as never;

describe("the list of things to look at", () => {
  test("only the newest graded run of an agent counts, and only when a simulation failed", () => {
    const running = run("run_3", { gradingSettled: false });
    const repaired = run("run_2", { failedVerdicts: 0 });
    expect(newestFailedRuns([running, repaired, run("run_1")])).toEqual([]);
    expect(newestFailedRuns([running, run("run_2"), run("run_1")]).map(({ id }) => id)).toEqual(["run_2"]);
    const other = run("run_9", { agentId: "agt_2" });
    expect(newestFailedRuns([run("run_2"), other]).map(({ id }) => id)).toEqual(["run_2", "run_9"]);
  });

  test("errored tests are no failures of the agent", () => {
    const results = [
      { run: run("run_1"), behaviors: [], tests: [{ testId: "tst_1", failed: 0, errored: 3 }] },
    ] as never;
    expect(needsALook(results, [], [])).toEqual([]);
  });

  test("the example of a failing test is a behavior that counts", () => {
    const behaviors = [
      { testId: "tst_1", counts: false, failed: 9 },
      { testId: "tst_1", counts: true, failed: 1 },
    ];
    const results = [{ run: run("run_1"), behaviors, tests: [{ testId: "tst_1", failed: 2 }] }] as never;
    expect(needsALook(results, [], [])).toMatchObject([{ kind: "failing_test", behavior: { counts: true } }]);
  });

  test("a refused key and failed imports come before tools", () => {
    const kinds = needsALook([], [setup("invalid_credential", 2)], [tool("Desk", 10, 9)]).map(({ kind }) => kind);
    expect(kinds).toEqual(["refused_key", "failed_imports", "failing_tools"]);
    expect(needsALook([], [setup("rate_limited", 0)], [])).toEqual([]);
  });

  test("tools need five calls with a known outcome and more than 30 % of failures", () => {
    expect(needsALook([], [], [tool("Desk", 4, 4)])).toEqual([]);
    expect(needsALook([], [], [tool("Desk", 100, 4, 96)])).toEqual([]);
    expect(needsALook([], [], [tool("Desk", 10, 3)])).toEqual([]);
    expect(needsALook([], [], [tool("Desk", 10, 4)])).toMatchObject([{ errors: 4, calls: 10 }]);
  });
});

test("every day of the period has a bar of production, even a day without conversations", () => {
  const start = new Date(2026, 9, 20, 15).getTime();
  const startedAt = new Date(2026, 9, 22).toISOString();
  const bars = countBars(
    {
      from: new Date(start).toISOString(),
      to: new Date(start + 7 * DAY).toISOString(),
      bucket: "day",
      series: [
        { source: "production", buckets: [{ startedAt, conversations: 3, errors: 1 }] },
        { source: "production", buckets: [{ startedAt, conversations: 2, errors: 0 }] },
        { source: "simulation", buckets: [{ startedAt, conversations: 40, errors: 9 }] },
      ] as never,
    },
    new Date(2026, 9, 27, 12),
  );
  expect(bars.map(({ label }) => label)).toEqual(["20", "21", "22", "23", "24", "25", "26", "today"]);
  expect(bars[2]).toEqual({ label: "22", total: 5, failed: 1 });
  expect(bars[3]).toEqual({ label: "23", total: 0, failed: 0 });
});

test("an agent without samples has no median, and unknown outcomes are no failures", () => {
  const metrics = { from: "2026-11-20T00:00:00Z", to: "2026-11-22T00:00:00Z", bucket: "day", series: [] } as const;
  expect(agentRows({ ...metrics, series: [] }, [tool("Desk", 2, 0, 2)])).toEqual([
    expect.objectContaining({
      agentName: "Desk",
      median: null,
      p95: null,
      cutShort: null,
      toolsFail: null,
      samples: 0,
    }),
  ]);
});

test("conversations in production and simulations are counted apart", () => {
  const series = [
    { source: "production", conversations: 3 },
    { source: "simulation", conversations: 40 },
    { source: "production", conversations: 2 },
  ] as never;
  expect([countOf({ series }, "production"), countOf({ series }, "simulation")]).toEqual([5, 40]);
});

test("small lines beside each other have one scale, which holds zero and what is below it", () => {
  const at = (value: number) => ({ at: 0, value });
  expect(scaleOf([at(900), at(1_200)])).toEqual({ least: 0, most: 1_200 });
  expect(scaleOf([at(900), at(-300)])).toEqual({ least: -300, most: 900 });
  expect(scaleOf([])).toEqual({ least: 0, most: 0 });
});
