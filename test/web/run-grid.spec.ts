import type { RunGrid } from "@svc/contract";
import type { RunEvent } from "@svc/sdk";
import { describe, expect, test } from "vitest";
import { changesOf, withChanges } from "../../packages/web/src/runs/grid-changes.ts";
import {
  cellLook,
  cellsByPersona,
  cellTitle,
  failureNeighbours,
  failuresOf,
  isPartlyGraded,
  shownTests,
} from "../../packages/web/src/runs/grid-rows.ts";

type Simulation = RunGrid["tests"][number]["simulations"][number];

const simulation = (id: string, changed: Partial<Simulation> = {}): Simulation => ({
  id,
  personaId: "calm",
  iteration: 1,
  status: "queued",
  verdict: null,
  behaviorsGraded: 0,
  behaviorCount: 2,
  ...changed,
});

const gridTest = (testVersionId: string, simulations: Simulation[]): RunGrid["tests"][number] => ({
  testId: `${testVersionId}-test`,
  testVersionId,
  testVersion: 1,
  testName: testVersionId,
  played: 0,
  passed: 0,
  failed: simulations.filter(({ verdict }) => verdict === "failed").length,
  undecided: 0,
  errored: 0,
  pending: simulations.length,
  passRate: null,
  passRateLow: null,
  passRateHigh: null,
  mixed: false,
  simulations,
});

const grid = (...tests: RunGrid["tests"]): RunGrid => ({
  personas: [
    { personaId: "angry", personaName: "angry" },
    { personaId: "calm", personaName: "calm" },
  ],
  tests,
});

const at = "2026-11-22T06:00:00.000Z";
const played = (simulationId: string, status: Simulation["status"]): RunEvent => ({
  kind: "simulation",
  seq: 1,
  at,
  simulationId,
  testName: "a",
  personaName: "calm",
  status,
  reason: null,
  message: null,
  verdict: null,
});
const graded = (simulationId: string, verdict: "passed" | "failed"): RunEvent => ({
  kind: "grade",
  seq: 2,
  at,
  simulationId,
  verdict,
  behaviorsGraded: 2,
  behaviorCount: 2,
});

describe("the grid of a run", () => {
  test("cells fill as the events come, and the counts of the row follow", () => {
    const before = grid(gridTest("a", [simulation("one"), simulation("two")]), gridTest("b", [simulation("three")]));
    const events = [
      played("one", "running"),
      played("one", "completed"),
      graded("one", "passed"),
      graded("two", "failed"),
    ];
    const after = withChanges(before, changesOf(events));
    expect(after.tests[0]).toMatchObject({ passed: 1, failed: 1, played: 2, pending: 0, mixed: true });
    expect(after.tests[0]!.simulations.map(({ verdict }) => verdict)).toEqual(["passed", "failed"]);
  });

  test("rows without a change stay the same objects", () => {
    const before = grid(gridTest("a", [simulation("one")]), gridTest("b", [simulation("two")]));
    const after = withChanges(before, changesOf([played("one", "running")]));
    expect(after.tests[1]).toBe(before.tests[1]);
    expect(withChanges(before, changesOf([played("elsewhere", "running")]))).toBe(before);
  });

  test("an event that is older than the grid does not move a cell back", () => {
    const before = grid(gridTest("a", [simulation("one", { status: "completed", verdict: "passed" })]));
    const events = [played("one", "queued"), played("one", "running"), graded("one", "failed")];
    expect(withChanges(before, changesOf(events))).toBe(before);
  });

  test("columns follow the personas, and cells the iterations", () => {
    const row = gridTest("a", [
      simulation("two", { iteration: 2 }),
      simulation("one"),
      simulation("angry", { personaId: "angry" }),
    ]);
    const ids = cellsByPersona(row, grid(row).personas).map((cells) => cells.map(({ id }) => id));
    expect(ids).toEqual([["angry"], ["one", "two"]]);
  });

  test("a simulation that the service could not play is errored and not failed", () => {
    expect(cellLook({ status: "failed", verdict: null })).toBe("errored");
    expect(cellLook({ status: "completed", verdict: null })).toBe("grading");
    expect(cellLook({ status: "claimed", verdict: null })).toBe("running");
    expect(cellLook({ status: "canceled", verdict: null })).toBe("canceled");
  });

  test("only a passed simulation with behaviors that are not graded is marked with a ring", () => {
    expect(isPartlyGraded(simulation("one", { verdict: "passed", behaviorsGraded: 1 }))).toBe(true);
    expect(isPartlyGraded(simulation("one", { verdict: "passed", behaviorsGraded: 2 }))).toBe(false);
    expect(isPartlyGraded(simulation("one", { verdict: "failed", behaviorsGraded: 1 }))).toBe(false);
  });

  test("a cell says its place and its result", () => {
    const cell = simulation("one", { verdict: "failed", behaviorsGraded: 2 });
    expect(cellTitle("Books a room", "calm", cell)).toBe(
      "Books a room, calm, iteration 1: Failed, 2 of 2 behaviors graded",
    );
  });

  test("failures come in the order of the grid, each with its neighbours", () => {
    const failed = { verdict: "failed" } as const;
    const shown = grid(
      gridTest("a", [simulation("one", failed), simulation("angry", { ...failed, personaId: "angry" })]),
      gridTest("b", [simulation("passed", { verdict: "passed" })]),
      gridTest("c", [simulation("three", failed)]),
    );
    const failures = failuresOf(shown);
    expect(failures.map(({ id }) => id)).toEqual(["angry", "one", "three"]);
    expect(failureNeighbours(failures, "one")).toEqual({ at: 1, count: 3, previous: "angry", next: "three" });
    expect(failureNeighbours(failures, "passed")).toEqual({ at: -1, count: 3, previous: undefined, next: "angry" });
    expect(shownTests(shown, true).map(({ testName }) => testName)).toEqual(["a", "c"]);
  });
});
