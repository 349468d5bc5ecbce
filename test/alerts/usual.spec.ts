import { describe, expect, test } from "vitest";
import type { AlertRuleContent } from "@svc/contract";
import { judgeWindows, NEW_STATE } from "../../packages/server/src/alerts/rules.ts";
import type { WindowValue } from "../../packages/server/src/alerts/windows.ts";

const HOUR_MS = 3_600_000;
const DAY = 24;
const WEEK = 7 * DAY;

type Usual = Partial<Extract<AlertRuleContent["condition"], { usual: unknown }>>;

const rule = (condition: Usual = {}, more: Partial<AlertRuleContent> = {}): AlertRuleContent => ({
  name: "rule",
  watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
  agents: [],
  agentVersions: [],
  channels: [],
  source: "production",
  windowMinutes: 60,
  condition: { is: "above", usual: "windows_before", confidence: 0.999, ...condition },
  minSamples: 20,
  windowsInRow: 1,
  noData: "keep",
  severity: "warning",
  destinationIds: [],
  remindAfterMinutes: null,
  ...more,
});
const COUNT = { watch: { kind: "conversations" } } as const;
const TOOLS = { watch: { kind: "tool_errors", tool: null } } as const;

/** Checks the hours from `from` on. Null is an hour without a sample. */
function judged(content: AlertRuleContent, values: readonly (number | null)[], from: number, samples = 50) {
  const windows = values.flatMap((value, hour): WindowValue[] =>
    value === null ? [] : [{ startMs: hour * HOUR_MS, value, samples }],
  );
  const period = { fromMs: from * HOUR_MS, toMs: values.length * HOUR_MS };
  return judgeWindows(content, NEW_STATE, { agent: "Hotel", windows }, period).judged;
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const normalOf = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
function poissonOf(random: () => number, mean: number): number {
  let [count, product] = [0, random()];
  for (; product > Math.exp(-mean); count++) product *= random();
  return count;
}
const hours = (count: number, valueOf: (hour: number) => number | null) =>
  Array.from({ length: count }, (_, n) => valueOf(n));

describe("a rule without a fixed limit", () => {
  test("a rule without a fixed limit is bad beyond what the windows before make likely, and says what is usual", () => {
    const values = [...hours(24, (n) => 1_000 + (n % 5) * 10), 1_040, 1_900];
    const [usual, slow] = judged(rule(), values, 24);
    expect(usual).toMatchObject({ judged: "good", usual: 1_020 });
    expect(usual!.limit).toBeGreaterThan(1_070);
    expect(usual!.limit).toBeLessThan(1_400);
    expect(slow).toMatchObject({ judged: "bad", action: "raise" });
    expect(judged(rule({ is: "below" }), [...hours(24, (n) => 1_000 + (n % 5) * 10), 400], 24)[0]!.judged).toBe("bad");
  });

  test("a rule without a fixed limit judges nothing with fewer than 8 earlier windows of enough samples", () => {
    expect(judged(rule(), [...hours(7, () => 1_000), 9_000], 7)[0]).toMatchObject({
      judged: "too_few",
      limit: null,
      usual: null,
    });
    expect(judged(rule(), [...hours(8, () => 1_000), 9_000], 8)[0]!.judged).toBe("bad");
    expect(judged(rule(), [...hours(24, () => 1_000), 9_000], 24, 19)[0]!.judged).toBe("too_few");
    expect(judged(rule({}, { noData: "alert" }), [...hours(7, () => 1_000), null], 7)[0]!.judged).toBe("too_few");
    expect(judged(rule({}, { noData: "alert" }), [...hours(24, () => 1_000), null], 24)[0]!.judged).toBe("bad");
  });

  test("a difference of less than 50 ms or 5 % is no matter, however even the windows before were", () => {
    expect(judged(rule(), [...hours(24, () => 1_000), 1_050], 24)[0]!.judged).toBe("good");
    expect(judged(rule(), [...hours(24, () => 1_000), 1_051], 24)[0]!.judged).toBe("bad");
  });

  test("a few bad windows among those before hide no bad one", () => {
    const before = hours(24, (n) => (n >= 20 ? 4_000 : 1_000 + (n % 5) * 10));
    expect(judged(rule(), [...before, 4_000], 24)[0]!.judged).toBe("bad");
  });

  test("bad windows do not become usual by lasting, and the alert is cleared when it is as before", () => {
    const before = hours(24, (n) => 1_000 + (n % 5) * 10);
    const found = judged(rule(), [...before, ...hours(60, () => 3_000), 1_020, 1_020], 24);
    expect(found.flatMap(({ action, startMs }) => (action === null ? [] : [[action, startMs / HOUR_MS]]))).toEqual([
      ["raise", 24],
      ["clear", 84],
    ]);
    expect(new Set(found.slice(0, 60).map(({ usual }) => usual))).toEqual(new Set([1_020]));
  });

  test("a rule without a fixed limit judges any split of a period as it judges the whole", () => {
    const random = randomOf(3);
    const values = hours(200, () => (random() < 0.1 ? null : 1_000 * Math.exp(0.4 * normalOf(random))));
    const content = rule({ confidence: 0.99 });
    const windows = values.flatMap((value, n) =>
      value === null ? [] : [{ startMs: n * HOUR_MS, value, samples: 50 }],
    );
    const whole = judged(content, values, 24);
    expect(whole.some(({ action }) => action !== null)).toBe(true);
    for (let cut = 25; cut < 200; cut++) {
      const [fromMs, cutMs, toMs] = [24 * HOUR_MS, cut * HOUR_MS, 200 * HOUR_MS];
      const first = judgeWindows(content, NEW_STATE, { agent: null, windows }, { fromMs, toMs: cutMs });
      const second = judgeWindows(content, first.state, { agent: null, windows }, { fromMs: cutMs, toMs });
      expect([...first.judged, ...second.judged]).toEqual(whole);
    }
  });

  test("one failed call of 20 is not above what is usual when none failed before", () => {
    const failing = (share: number) => judged(rule({}, TOOLS), [...hours(24, () => 0), share], 24, 20)[0]!.judged;
    expect(failing(1 / 20)).toBe("good");
    expect(failing(3 / 20)).toBe("good");
    expect(failing(6 / 20)).toBe("bad");
  });

  test("the usual value comes from the same hours of the last four weeks, so that nights and weekends are not bad", () => {
    // 60 conversations an hour by day from Monday to Friday, and 3 otherwise. 1 January 1970 was a Thursday.
    const isBusy = (hour: number) => ![2, 3].includes(Math.floor(hour / DAY) % 7) && hour % DAY >= 8 && hour % DAY < 18;
    const random = randomOf(7);
    const values = hours(6 * WEEK, (hour) => poissonOf(random, isBusy(hour) ? 60 : 3));
    const same = rule({ is: "below", usual: "same_hours" }, { ...COUNT, windowsInRow: 2 });
    expect(judged(same, values, 4 * WEEK).filter(({ action }) => action === "raise")).toEqual([]);
    const noon = 5 * WEEK + 12;
    const gone = values.map((value, hour) => (hour >= noon && hour < noon + 3 ? null : value));
    const raised = judged(same, gone, 4 * WEEK).filter(({ action }) => action === "raise");
    expect(raised.map(({ startMs }) => startMs / HOUR_MS)).toEqual([noon + 1]);
    expect(raised[0]!.usual).toBeGreaterThan(50);
  });

  test("the weeks before an agent's first conversation do not count as usual", () => {
    const values = [...hours(3 * WEEK, () => null), ...hours(WEEK, () => 10), 10, 10];
    expect(judged(rule({ usual: "same_hours" }, COUNT), values, 4 * WEEK).map(({ judged: found }) => found)).toEqual([
      "too_few",
      "too_few",
    ]);
  });
});

test.each([0.99, 0.999] as const)(
  "a rule without a fixed limit finds no more windows of random values bad than the confidence %f allows",
  (confidence) => {
    const random = randomOf(11);
    let bad = 0;
    for (let n = 0; n < 20_000; n++) {
      const values = hours(25, () => 100 * Math.sinh(5 + 0.3 * normalOf(random)));
      if (judged(rule({ confidence }), values, 24)[0]!.judged === "bad") bad += 1;
    }
    console.info(`confidence ${confidence}: ${bad} of 20,000 windows of noise are bad`);
    expect(bad).toBeLessThan(20_000 * (1 - confidence) * 1.5);
  },
);

describe("a month of 20 rules over noise", () => {
  const noises: Record<
    string,
    {
      confidence?: 0.9999;
      falseMax?: number;
      step: number;
      more: Partial<AlertRuleContent>;
      is: "above" | "below";
      noise: (random: () => number) => () => number;
    }
  > = {
    "even times": { step: 1.6, more: {}, is: "above", noise: (random) => () => 1_000 + 60 * normalOf(random) },
    "skewed times": {
      step: 8,
      more: {},
      is: "above",
      noise: (random) => () => 1_000 * Math.exp(0.3 * normalOf(random)),
    },
    "times that resemble the hour before": {
      falseMax: 3,
      confidence: 0.9999,
      step: 6,
      more: {},
      is: "above",
      noise(random) {
        let drift = 0;
        return () => 1_000 * Math.exp((drift = 0.5 * drift + 0.1 * normalOf(random)));
      },
    },
    "few failed calls": { step: 25, more: TOOLS, is: "above", noise: (random) => () => poissonOf(random, 2) / 50 },
    "a number of conversations": { step: 0, more: COUNT, is: "below", noise: (random) => () => poissonOf(random, 16) },
  };
  test.each(Object.entries(noises))(
    "%s: hardly a false alert, and each planted step is raised",
    (name, { more, is, noise, step, confidence = 0.999 as 0.999 | 0.9999, falseMax = 1 }) => {
      let [falseAlerts, found] = [0, 0];
      for (let seed = 1; seed <= 20; seed++) {
        const next = noise(randomOf(seed));
        const values = hours(31 * DAY, next);
        const content = rule({ is, confidence }, { ...more, windowsInRow: 2 });
        falseAlerts += judged(content, values, DAY).filter(({ action }) => action === "raise").length;
        const at = 100 + seed * 20;
        const planted = values.map((value, hour) =>
          hour >= at && hour < at + 4
            ? Math.min(step * (value || 0.04), is === "above" && "watch" in more ? 1 : 1e9)
            : value,
        );
        if (
          judged(content, planted, DAY).some(
            ({ action, startMs }) => action === "raise" && startMs === (at + 1) * HOUR_MS,
          )
        )
          found += 1;
      }
      console.info(
        `${name}: ${falseAlerts} false alerts of 20 rules in a month, ${found} of 20 steps raised in two windows`,
      );
      expect(falseAlerts).toBeLessThanOrEqual(falseMax);
      expect(found).toBe(20);
    },
  );
});
