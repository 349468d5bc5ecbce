import { expect, test } from "vitest";
import { evidenceOfProduction } from "../../packages/server/src/grading/graders/production/sampling.ts";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";

const spans = spansOfCapture("js-1.9.0-text");
const row = { rootEnded: true, startedNs: spans[0]!.startNs } as TraceSummaryRow;
const verdict = (behavior: string, { rootEnded = true, truncated = false } = {}) =>
  decide(parseCheck(behavior)!, evidenceOfProduction({ ...row, rootEnded }, spans, truncated)).verdict;

test("a complete conversation without a text or a call decides that it did not happen", () => {
  expect(verdict('never says "zzz"')).toBe("passed");
  expect(verdict("calls no_such_tool")).toBe("failed");
});

test("a conversation without an end, or with unread spans, leaves an absent text or call inconclusive", () => {
  for (const part of [{ rootEnded: false }, { truncated: true }]) {
    expect(verdict('never says "zzz"', part)).toBe("inconclusive");
    expect(verdict("calls no_such_tool", part)).toBe("inconclusive");
  }
});
