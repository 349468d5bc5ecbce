import { expect, test } from "vitest";
import { evidenceOfProduction } from "../../packages/server/src/graders/production/sampling.ts";
import { decide } from "../../packages/server/src/grading/checks/decide.ts";
import { parseCheck } from "../../packages/server/src/grading/checks/parse-check.ts";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";

const spans = spansOfCapture("js-1.9.0-text");
const row = { rootEnded: true, startedNs: spans[0]!.startNs } as TraceSummaryRow;
const verdict = (behavior: string, { rootEnded = true, truncated = false } = {}) =>
  decide(parseCheck(behavior)!, evidenceOfProduction({ ...row, rootEnded }, spans, truncated)).verdict;

test("what a whole conversation does not hold was not said or called", () => {
  expect(verdict('never says "zzz"')).toBe("passed");
  expect(verdict("calls no_such_tool")).toBe("failed");
});

test("what a conversation does not hold that went idle, or has more spans than are read, is inconclusive", () => {
  for (const part of [{ rootEnded: false }, { truncated: true }]) {
    expect(verdict('never says "zzz"', part)).toBe("inconclusive");
    expect(verdict("calls no_such_tool", part)).toBe("inconclusive");
  }
});
