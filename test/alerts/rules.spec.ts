import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AlertRuleContent } from "@svc/contract";
import { judgeWindows, judgedAgents, NEW_STATE } from "../../packages/server/src/alerts/rules.ts";
import { type WindowValue, windowsOfTools } from "../../packages/server/src/alerts/windows.ts";

const HOUR_MS = 3_600_000;

const rule = (more: Partial<AlertRuleContent> = {}): AlertRuleContent => ({
  name: "rule",
  watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
  agents: [],
  agentVersions: [],
  channels: [],
  source: "production",
  windowMinutes: 60,
  condition: { is: "above", value: 2_000 },
  minSamples: 20,
  windowsInRow: 1,
  noData: "keep",
  severity: "warning",
  destinationIds: [],
  remindAfterMinutes: null,
  ...more,
});

/** Checks the values of consecutive hours. Null is a window without a sample, and `few` a window with few samples. */
function actionsOf(content: AlertRuleContent, values: readonly (number | null | "few")[]) {
  const windows = values.flatMap((value, hour): WindowValue[] => {
    if (value === null) return [];
    return [{ startMs: hour * HOUR_MS, value: value === "few" ? 9_000 : value, samples: value === "few" ? 3 : 100 }];
  });
  const period = { fromMs: 0, toMs: values.length * HOUR_MS };
  return judgeWindows(content, NEW_STATE, { agent: "Hotel", windows }, period).judged;
}
const marks = (content: AlertRuleContent, values: readonly (number | null | "few")[]): string =>
  actionsOf(content, values)
    .map(({ action }) => (action === "raise" ? "R" : action === "clear" ? "C" : "."))
    .join("");

describe("a rule", () => {
  test.each<[name: string, more: Partial<AlertRuleContent>, values: (number | null | "few")[], marks: string]>([
    ["raises once and clears once", {}, [1_000, 3_000, 3_000, 1_000, 1_000], ".R.C."],
    ["does not count a value at its limit", {}, [2_000, 2_000.5], ".R"],
    ["below", { condition: { is: "below", value: 10 } }, [11, 9, 10], ".RC"],
    ["needs windows in a row", { windowsInRow: 3 }, [3e3, 3e3, 1e3, 3e3, 3e3, 3e3], ".....R"],
    ["clears after as many good ones", { windowsInRow: 2 }, [3e3, 3e3, 1e3, 3e3, 1e3, 1e3], ".R...C"],
    ["is not moved by too few samples", { windowsInRow: 2 }, [3e3, "few", 3e3, "few", 1e3, 1e3], "..R..C"],
    ["keeps its state without data", {}, [3e3, null, null, 1e3], "R..C"],
    ["is good without data", { noData: "ok" }, [3e3, null, 3e3], "RCR"],
    ["is bad without data", { noData: "alert" }, [1e3, null, 1e3], ".RC"],
    [
      "counts zero conversations as zero",
      { watch: { kind: "conversations" }, condition: { is: "below", value: 1 } },
      [5, null, 0, 3],
      ".R.C",
    ],
    [
      "ignores the number of samples for conversations",
      { watch: { kind: "conversations" }, condition: { is: "below", value: 10_000 } },
      ["few"],
      "R",
    ],
  ])("%s", (_, more, values, expected) => {
    expect(marks(rule(more), values)).toBe(expected);
  });

  test("a rule judges any split of a period as it judges the whole", () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.constant(null), fc.constant("few" as const));
    const content = fc.record({
      windowsInRow: fc.integer({ min: 1, max: 4 }),
      noData: fc.constantFrom("ok" as const, "keep" as const, "alert" as const),
    });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), content, fc.nat(), (values, more, at) => {
        const whole = actionsOf(rule(more), values);
        const windows = whole.filter(({ samples }) => samples > 0);
        const cutMs = (at % values.length) * HOUR_MS;
        const series = { agent: null, windows };
        const first = judgeWindows(rule(more), NEW_STATE, series, { fromMs: 0, toMs: cutMs });
        const second = judgeWindows(rule(more), first.state, series, { fromMs: cutMs, toMs: values.length * HOUR_MS });
        expect([...first.judged, ...second.judged]).toEqual(whole);
        const opened = whole.filter(({ action }) => action !== null).map(({ action }) => action);
        opened.forEach((action, n) => expect(action).toBe(n % 2 === 0 ? "raise" : "clear"));
      }),
    );
  });
});

describe("agents", () => {
  const found = [{ agent: "Hotel", windows: [{ startMs: 5, value: 1, samples: 1 }] }];

  test("a rule without agents judges each one from its first sample, and the ones that it knows from the start", () => {
    expect(judgedAgents({ agents: [] }, found, new Set(["Taxi"]), 0)).toEqual([
      { agent: "Taxi", windows: [], fromMs: 0 },
      { agent: "Hotel", windows: found[0]!.windows, fromMs: 5 },
    ]);
  });

  test("a rule with agents judges only them, even without a sample", () => {
    expect(judgedAgents({ agents: ["Taxi"] }, found, new Set(), 0)).toEqual([
      { agent: "Taxi", windows: [], fromMs: 0 },
    ]);
  });

  test("calls of an unknown outcome are no samples, and tools are pooled or chosen", () => {
    const call = { source: "production", agent: "Hotel", startMs: 0 } as const;
    const counts = [
      { ...call, tool: "book", calls: 10, errors: 2, unknown: 2 },
      { ...call, tool: "look", calls: 12, errors: 0, unknown: 0 },
      { ...call, tool: "book", startMs: null, calls: 10, errors: 2, unknown: 2 },
    ];
    const windowsOf = (tool: string | null) => windowsOfTools(counts, tool)[0]!.windows;
    expect(windowsOf(null)).toEqual([{ startMs: 0, value: 0.1, samples: 20 }]);
    expect(windowsOf("book")).toEqual([{ startMs: 0, value: 0.25, samples: 8 }]);
  });
});

describe("a synthetic month of hourly windows", () => {
  const HOURS = 30 * 24;

  /** Returns a generator of normally distributed noise, the same for the same seed. */
  function noise(seed: number) {
    let state = seed >>> 0;
    const uniform = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state + 1) / 4_294_967_297;
    };
    return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  }

  /** Returns the p95 of an agent in each hour: about 1,200 ms, slower in the evening, with noise of 8 %. */
  function month(seed: number, plant: (hour: number) => number = () => 1): number[] {
    const draw = noise(seed);
    return Array.from({ length: HOURS }, (_, hour) => {
      const daily = 1 + 0.1 * Math.sin((2 * Math.PI * (hour % 24)) / 24);
      return 1_200 * daily * Math.exp(0.08 * draw()) * plant(hour);
    });
  }

  const content = rule({ condition: { is: "above", value: 2_000 }, windowsInRow: 2 });
  const raisedAt = (values: readonly (number | null)[]) =>
    actionsOf(content, values).flatMap(({ action, startMs }) => (action === "raise" ? [startMs / HOUR_MS] : []));

  test("random values of 20 agents raise at most one alert", () => {
    const alerts = Array.from({ length: 20 }, (_, agent) => raisedAt(month(agent + 1))).flat();
    expect(alerts.length).toBeLessThanOrEqual(1);
  });

  test.each<[name: string, plant: (hour: number) => number, from: number]>([
    ["a step", (hour) => (hour >= 400 && hour < 500 ? 3 : 1), 400],
    ["a bad night", (hour) => (hour >= 200 && hour < 206 ? 4 : 1), 200],
  ])("%s is raised within the windows in a row that the rule asks for, once, and cleared", (_, plant, from) => {
    for (const seed of [11, 12, 13, 14, 15]) {
      const values = month(seed, plant);
      expect(raisedAt(values)).toEqual([from + content.windowsInRow - 1]);
      expect(marks(content, values)).toMatch(/^\.*R\.*C\.*$/);
    }
  });

  test("a drift is raised when it crosses the limit, and no alert is shorter than the windows in a row", () => {
    for (const seed of [21, 22, 23, 24, 25]) {
      const values = month(seed, (hour) => 1 + Math.max(0, hour - 100) / 200);
      const crossed = values.findIndex((_, hour) => hour > 0 && values[hour]! > 2_000 && values[hour - 1]! > 2_000);
      expect(raisedAt(values)[0]).toBe(crossed);
      const changes = actionsOf(content, values).flatMap(({ action, startMs }) => (action ? [startMs / HOUR_MS] : []));
      for (const [n, hour] of changes.entries())
        if (n > 0) expect(hour - changes[n - 1]!).toBeGreaterThanOrEqual(content.windowsInRow);
    }
  });

  test("a gap of data raises nothing unless the rule says so", () => {
    const values = month(31).map((value, hour) => (hour >= 300 && hour < 330 ? null : value));
    expect(raisedAt(values)).toEqual([]);
    const asked = actionsOf({ ...content, noData: "alert" }, values).filter(({ action }) => action !== null);
    expect(asked.map(({ action, startMs }) => [action, startMs / HOUR_MS])).toEqual([
      ["raise", 301],
      ["clear", 331],
    ]);
  });
});
