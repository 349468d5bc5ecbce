import { MEASURE_NAMES, type MeasureName } from "@svc/contract/constants";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../packages/server/src/base/async/in-slices.ts";
import { seeded } from "../../packages/server/src/base/seeded.ts";
import {
  comparisonWords,
  computeVersionComparison,
  type VersionOutcomes,
} from "../../packages/server/src/grading/graders/versions/rules.ts";
import { IS_LONG } from "../support/long-form.ts";

/** The parameters from which the conversations of a version are drawn. */
type Model = {
  conversations: number;
  latencyMs?: number;
  /** How much conversations differ from each other, besides the differences between their turns. */
  spread?: number;
  /** The share of answers that take three times as long. */
  slow?: number;
  errors?: number;
  toolErrors?: number;
  failedByGrader?: number;
};

/** Draws the conversations of a version. Answers and tool calls of the same conversation resemble each other. */
function drawn(
  next: () => number,
  {
    conversations,
    latencyMs = 900,
    spread = 0.3,
    slow = 0.05,
    errors = 0.05,
    toolErrors = 0.1,
    failedByGrader = 0.1,
  }: Model,
): VersionOutcomes {
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const [samples, toolCalls]: [number[], number[]] = [[], []];
  const outcomes: VersionOutcomes = {
    conversations: [],
    grades: [],
    samples: new Float64Array(),
    toolCalls: new Float64Array(),
  };
  const grades = [];
  for (let place = 0; place < conversations; place++) {
    outcomes.conversations.push({ names: [`${place}`], hasErrors: next() < errors });
    const pace = Math.exp(spread * normal());
    const add = (measure: MeasureName, value: number) => samples.push(place, MEASURE_NAMES.indexOf(measure), value);
    const turns = 1 + Math.floor(next() * 15);
    for (let turn = 0; turn < turns; turn++) {
      add("response_latency", latencyMs * pace * Math.exp(0.25 * normal()) * (next() < slow ? 3 : 1));
      add("llm_time_to_first_token", 350 * pace * Math.exp(0.3 * normal()));
      add("user_interruptions", Number(next() < 0.1 * pace));
      add("agent_interruptions", Number(next() < 0.02));
    }
    add("talk_ratio", next());
    add("overlap_ratio", 0.1 * next() * pace);
    const isBroken = next() < toolErrors;
    for (let call = Math.floor(next() * 5); call > 0; call--) toolCalls.push(place, Number(isBroken && next() < 0.8));
    for (const grader of ["Polite", "Confirms"])
      if (next() < 0.8)
        grades.push({
          graderId: grader,
          graderName: grader,
          place,
          failed: next() < (grader === "Polite" ? 0.02 : failedByGrader),
        });
  }
  return { ...outcomes, grades, samples: Float64Array.from(samples), toolCalls: Float64Array.from(toolCalls) };
}

const compare = (first: VersionOutcomes, second: VersionOutcomes) => atOnce(computeVersionComparison(first, second));
const changed = (quantities: ReturnType<typeof compare>) =>
  quantities.flatMap(({ label, verdict }) =>
    ["worse", "better", "differs"].includes(verdict) ? [`${label}: ${verdict}`] : [],
  );

function drawPairs(count: number, seed: string, first: Model, second: Model) {
  const next = seeded(seed);
  return Array.from({ length: count }, () => changed(compare(drawn(next, first), drawn(next, second))));
}

const share = (some: readonly unknown[], all: readonly unknown[]) => `${some.length} of ${all.length}`;
const PAIRS = IS_LONG ? 1_000 : 40;

describe("two versions in production", () => {
  test.each([
    ["20 and 20", { conversations: 20 }, { conversations: 20 }],
    ["60 and 60", { conversations: 60 }, { conversations: 60 }],
    ["300 and 30", { conversations: 300 }, { conversations: 30 }],
    ["60 and 60 that differ much from each other", { conversations: 60, spread: 1 }, { conversations: 60, spread: 1 }],
  ] satisfies [string, Model, Model][])("noise is not found: %s conversations", (name, first, second) => {
    const pairs = drawPairs(PAIRS, `noise ${name}`, first, second);
    const wrong = pairs.filter((found) => found.length > 0);
    console.log(`noise, ${name}: a difference in ${share(wrong, pairs)} pairs`);
    // The comparison promises an error in at most 5 % of the pairs. A few more can occur in one sample.
    expect(wrong.length).toBeLessThanOrEqual(PAIRS * 0.05 + 3 * Math.sqrt(PAIRS * 0.05 * 0.95));
  });

  const base = { conversations: 150 };
  test.each([
    ["answers are 30 % slower", { latencyMs: 1_170 }, /^Response latency (p50|p95|mean): worse/],
    ["answers are 30 % faster", { latencyMs: 630 }, /^Response latency (p50|p95|mean): better/],
    ["15 % of the answers take three times as long, and not 5 %", { slow: 0.15 }, /^Response latency p95: worse/],
    ["20 % have an error, and not 5 %", { errors: 0.2 }, /^Conversations with an error: worse/],
    ["tools fail in 35 %, and not in 10 %", { toolErrors: 0.35 }, /^Failed tool calls: worse/],
    ["a grader fails 30 %, and not 10 %", { failedByGrader: 0.3 }, /^Failed by Confirms: worse/],
  ] satisfies [string, Partial<Model>, RegExp][])("a planted difference is found: %s", (name, change, expected) => {
    const pairs = drawPairs(PAIRS / 2, `planted ${name}`, base, { ...base, ...change });
    const found = pairs.filter((labels) => labels.some((label) => expected.test(label)));
    const others = pairs.filter((labels) =>
      labels.some((label) => !/Response latency/.test(label) && !expected.test(label)),
    );
    console.log(`planted, ${name}: found in ${share(found, pairs)} pairs; something else in ${share(others, pairs)}`);
    expect(found.length).toBeGreaterThanOrEqual(pairs.length * 0.7);
  });

  test("a difference that no caller notices is none, however certain", () => {
    const next = seeded("small");
    const [first, second] = [
      { conversations: 800, spread: 0, slow: 0, latencyMs: 400 },
      { conversations: 800, spread: 0, slow: 0, latencyMs: 425 },
    ];
    const quantities = compare(drawn(next, first), drawn(next, second));
    const median = quantities.find(({ label }) => label === "Response latency p50")!;
    expect(median.p).toBeLessThan(0.001);
    expect(median.verdict).toBe("no_difference_shown");
  });

  test("the interval of a difference has it in about 95 of 100 pairs", () => {
    const next = seeded("intervals");
    let [inside, all] = [0, 0];
    for (let pair = 0; pair < PAIRS; pair++) {
      const model = { conversations: 60 };
      for (const { difference, low, high } of compare(drawn(next, model), drawn(next, model))) {
        if (low === null || difference === null) continue;
        all++;
        inside += Number(low <= 0 && high! >= 0);
      }
    }
    console.log(`intervals: ${inside} of ${all} have the true difference`);
    expect(inside / all).toBeGreaterThan(0.92);
  });

  test("few conversations say so, and nothing else", () => {
    const next = seeded("few");
    const quantities = compare(drawn(next, { conversations: 9 }), drawn(next, { conversations: 500, errors: 1 }));
    expect(new Set(quantities.map(({ verdict }) => verdict))).toEqual(new Set(["too_few"]));
    expect(quantities.every(({ p, low, high }) => p === null && low === null && high === null)).toBe(true);
  });

  test("the order of the conversations and of the versions does not change what is found", () => {
    const next = seeded("order");
    const [first, second] = [drawn(next, base), drawn(next, { ...base, latencyMs: 1_400, errors: 0.3 })];
    const forth = changed(compare(first, second));
    expect(forth.length).toBeGreaterThan(2);
    expect(compare(first, second)).toEqual(compare(first, second));
    const back = changed(compare(second, first));
    expect(back).toEqual(forth.map((label) => label.replace("worse", "better")));
  });

  test("versions without a common quantity, or with nothing at all, are compared with nothing", () => {
    const none: VersionOutcomes = {
      conversations: [],
      grades: [],
      samples: new Float64Array(),
      toolCalls: new Float64Array(),
    };
    expect(compare(none, none)).toEqual([]);
    expect(compare(drawn(seeded("one"), base), none)).toEqual([]);
    const side = (version: string, conversations: number) => ({
      version,
      conversations,
      compared: Math.min(1_000, conversations),
    });
    const words = (first: number, second: number) =>
      comparisonWords({ agent: "Hotel", first: side("41", first), second: side("42", second), quantities: [] });
    expect(words(0, 5)[0]).toBe("Nothing to compare.");
    expect(words(0, 5)[1]).toContain("41");
    expect(words(5, 5)[0]).toContain("Too few");
  });
});
