import { describe, expect, test } from "vitest";
import { CASES, confusionOf, decideCase, hardCases } from "../support/hard-cases.ts";

const FALSE_FAILS_MAX = 0.02;

const decided = hardCases(`${CASES}seen`).map(decideCase);

describe("the hard cases", () => {
  test("are at least 250, and their ids are unique", () => {
    expect(decided.length).toBeGreaterThanOrEqual(250);
    expect(new Set(decided.map(({ id }) => id)).size).toBe(decided.length);
  });

  test("get no false pass from a check", () => {
    const wrong = decided.filter(({ outcome }) => outcome === "false pass");
    expect(wrong.map(({ id, behavior, reason }) => `${id} ${behavior}: ${reason}`)).toEqual([]);
  });

  test("get a false failure from a check in at most one of fifty", () => {
    const wrong = decided.filter(({ outcome }) => outcome === "false fail");
    const byCheck = decided.filter(({ form }) => form !== "judge").length;
    expect(wrong.length / byCheck, wrong.map(({ id }) => id).join(", ")).toBeLessThanOrEqual(FALSE_FAILS_MAX);
  });

  test("are mostly decided where a check reads them", () => {
    const { cases, right } = confusionOf(decided.filter(({ form }) => form !== "judge")).at(-1)!;
    expect(right / cases).toBeGreaterThan(0.9);
  });
});
