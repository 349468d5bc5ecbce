import type { Run, RunComparison } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { ciCommand } from "../../packages/web/src/runs/run-actions.tsx";
import { differenceAxis, signed, tooSmallMs } from "../../packages/web/src/runs/latency-card.tsx";
import {
  changedTests,
  errorOwner,
  latencyHeadline,
  passingHeadline,
  placesOf,
  pText,
  shownRate,
} from "../../packages/web/src/runs/run-words.ts";
import { costProblem, inputOf, readNewRunSearch, rerunSearch } from "../../packages/web/src/runs/run-search.ts";

const run = (changed: Partial<Run>): Run =>
  ({
    id: "run_1",
    name: null,
    suiteId: "ste_1",
    suiteName: "Booking by phone",
    agentId: "agt_1",
    agentName: "Front desk",
    connectionId: "con_1",
    caller: "scripted",
    iterations: 5,
    concurrency: 10,
    turnLimit: 60,
    timeLimitSeconds: 600,
    maxCost: null,
    allowUngraded: false,
    passedVerdicts: 3,
    decidedSimulations: 4,
    undecidedSimulations: 0,
    passRate: 0.75,
    passRateLow: null,
    passRateHigh: null,
    ...changed,
  }) as Run;

describe("a run in words", () => {
  test("no pass rate is shown before a run has five verdicts", () => {
    expect(shownRate(run({}))).toMatchObject({ value: null, words: "3 of 4 passed: too few for a rate" });
  });

  test("undecided simulations are named, and without a decided one there is neither a rate nor an interval", () => {
    expect(shownRate(run({ undecidedSimulations: 2 })).words).toBe(
      "3 of 6 passed, 2 undecided; an interval needs 5 tests",
    );
    const nothing = {
      passedVerdicts: 0,
      decidedSimulations: 0,
      undecidedSimulations: 9,
      passRate: 0,
      passRateLow: 0,
      passRateHigh: 0,
    };
    expect(shownRate(run(nothing))).toEqual({
      value: null,
      low: null,
      high: null,
      words: "9 simulations undecided: nothing passed or failed",
    });
  });

  test("the words name the interval, or the reason why it is missing", () => {
    const decided = { passedVerdicts: 57, decidedSimulations: 75, passRate: 0.76 };
    expect(shownRate(run({ ...decided, passRateLow: 0.65, passRateHigh: 0.84 })).words).toBe(
      "57 of 75 passed; 95% interval 65% to 84%",
    );
    expect(shownRate(run(decided)).words).toBe("57 of 75 passed; an interval needs 5 tests");
  });

  test("the error of a simulation has an owner", () => {
    expect(errorOwner({ status: "failed", verdict: null, endedBy: "service" })).toContain("error of the service");
    expect(errorOwner({ status: "completed", verdict: "errored", endedBy: "outside" })).toContain("between");
    expect(errorOwner({ status: "completed", verdict: "failed", endedBy: "agent" })).toBeUndefined();
  });

  test("the command for a CI job quotes names for a shell", () => {
    const command = ciCommand(run({ suiteName: "Ana's suite" }), []);
    expect(command).toContain(`--suite 'Ana'\\''s suite'`);
    expect(command).toContain("--agent 'Front desk' --connection con_1");
    expect(ciCommand(run({ suiteName: null }), ["tst_1", "tst_2"])).toContain("--test tst_1");
  });
});

describe("the choices of a new run", () => {
  test("a run is played again by a link: the suite, or exactly the versions that failed", () => {
    expect(rerunSearch(run({}))).toMatchObject({ suite: "ste_1", agent: "agt_1", iterations: 5 });
    expect(rerunSearch(run({}), "failed")).toMatchObject({ run: "run_1", only: "failed" });
    expect(rerunSearch(run({ suiteId: null }))).toMatchObject({ run: "run_1", only: undefined });
  });

  test("a link's choices become the request once nothing is missing", () => {
    const search = readNewRunSearch({ agent: "agt_1", connection: "con_1", test: "tst_1", iterations: 3, cost: 0.5 });
    expect(inputOf(search, [])).toBeUndefined();
    expect(inputOf({ ...search, connection: undefined }, ["tstv_1"])).toBeUndefined();
    expect(inputOf(search, ["tstv_1"])).toMatchObject({ testVersions: ["tstv_1"], iterations: 3, maxCost: 0.5 });
    expect(inputOf({ ...search, suite: "ste_1" }, undefined)).toMatchObject({ suiteId: "ste_1" });
  });

  test.each(["ten", "-1", "Infinity", " ", "2,50"])("a cost that is no amount makes no request: %j", (cost) => {
    const search = readNewRunSearch({ agent: "agt_1", connection: "con_1", test: "tst_1", cost });
    expect(inputOf(search, ["tstv_1"])).toBeUndefined();
    expect(costProblem(search)).toContain("an amount");
  });
});

const pair = (testVersionId: string, personaName: string, iteration: number) =>
  ({
    testId: "tst",
    testVersionId,
    testName: testVersionId,
    personaName,
    iteration,
  }) as RunComparison["regressed"][number];

describe("a comparison in words", () => {
  const compared = {
    passingDiffers: false,
    latencyDiffers: false,
    latency: { pairs: 75, firstMs: 800, secondMs: 860, differenceMs: 60, lowMs: -23, highMs: 193 },
    passRateDifference: { value: 0.17, low: null, high: null },
    first: { played: 75 },
    second: { played: 75 },
  };

  test("a difference that chance explains is neither more nor less", () => {
    expect(passingHeadline(compared)).toBe("It passes neither measurably more nor less often.");
    expect(latencyHeadline(compared)).toBe("It is not measurably faster or slower.");
  });

  test("a difference beyond chance has a direction", () => {
    expect(passingHeadline({ ...compared, passingDiffers: true })).toBe("It passes more often.");
    const less = { ...compared, passingDiffers: true, passRateDifference: { value: -0.1, low: null, high: null } };
    expect(passingHeadline(less)).toBe("It passes less often.");
    expect(latencyHeadline({ ...compared, latencyDiffers: true })).toBe("It is slower.");
  });

  test("too few pairs have no sentence on latency", () => {
    expect(latencyHeadline({ ...compared, latency: null })).toBe("Too few pairs have times to answer.");
  });

  test("changed pairs are grouped by test, regressed ones first", () => {
    const changed = changedTests({
      regressed: [pair("b", "angry", 2)],
      mended: [pair("a", "calm", 1), pair("c", "calm", 1), pair("c", "calm", 2)],
    });
    expect(changed.map(({ change, testName, pairs }) => `${change} ${testName} ${pairs.length}`)).toEqual([
      "regressed b 1",
      "mended c 2",
      "mended a 1",
    ]);
    expect(placesOf([pair("b", "hurried", 4), pair("b", "hurried", 2), pair("b", "angry", 2)])).toBe(
      "hurried 2, 4 · angry 2",
    );
    expect(pText(0.00441)).toBe("p = 0.0044");
  });

  test("the axis of a difference has zero in its middle and holds the interval and the zone too small to matter", () => {
    const { end, ticks, shareOf } = differenceAxis(compared.latency);
    expect(shareOf(0)).toBe(0.5);
    expect(ticks).toContain(0);
    expect(end).toBeGreaterThan(193);
    expect(shareOf(193)).toBeLessThan(1);
    expect([tooSmallMs(800), tooSmallMs(2_000)]).toEqual([50, 100]);
    expect([signed(60), signed(-23.4), signed(0.2)]).toEqual(["+60", "−23", "0"]);
  });
});
