import { describe, expect, test } from "vitest";
import { PACE } from "../../packages/server/src/monitoring/pace.ts";
import {
  afterAttempt,
  afterFailure,
  afterSuccess,
  type Attempt,
  type Health,
  importStateOf,
  lookAgainMs,
  type Trouble,
} from "../../packages/server/src/monitoring/rules.ts";
import { nextScanMs, progressAfter, reachedAfter, scanDue } from "../../packages/server/src/monitoring/scan-plan.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21, 12);
const at = (random: number) => ({ nowMs: NOW, random, pace: PACE });

const WELL: Health = {
  state: "healthy",
  blockedUntilMs: null,
  consecutiveFailures: 0,
  lastErrorMs: null,
  lastRecoveredMs: null,
};

describe("health after a failure", () => {
  test.each<
    [kind: Trouble["kind"], before: number, retryAfterSeconds: number | undefined, state: string, waitMs: number]
  >([
    ["credential_rejected", 0, undefined, "invalid_credential", HOUR],
    ["credential_rejected", 9, undefined, "invalid_credential", HOUR],
    ["permission_missing", 0, 5, "invalid_credential", HOUR],
    ["rate_limited", 0, 17, "rate_limited", 17 * SECOND],
    ["rate_limited", 9, 17, "rate_limited", 17 * SECOND],
    ["rate_limited", 0, undefined, "rate_limited", 5 * SECOND],
    ["rate_limited", 2, undefined, "rate_limited", 20 * SECOND],
    ["unavailable", 0, undefined, "provider_unavailable", 5 * SECOND],
    ["unavailable", 1, undefined, "provider_unavailable", 10 * SECOND],
    ["unavailable", 5, undefined, "provider_unavailable", 160 * SECOND],
    ["unavailable", 6, undefined, "provider_unavailable", 5 * MINUTE],
    ["unavailable", 1_000_000, undefined, "provider_unavailable", 5 * MINUTE],
    ["unreadable", 0, undefined, "provider_unavailable", 5 * SECOND],
    ["too_large", 0, undefined, "provider_unavailable", 5 * SECOND],
    ["not_found", 0, undefined, "provider_unavailable", 5 * SECOND],
  ])("of the kind %s, the one before it being number %i, Retry-After %s: %s for %i ms", (...row) => {
    const [kind, consecutiveFailures, retryAfterSeconds, state, waitMs] = row;
    const after = afterFailure({ ...WELL, consecutiveFailures }, { kind, retryAfterSeconds }, at(1));
    expect(after).toEqual({
      state,
      blockedUntilMs: NOW + waitMs,
      consecutiveFailures: consecutiveFailures + 1,
      lastErrorMs: NOW,
      lastRecoveredMs: null,
    });
  });

  test("the back-off of many setups is spread between half of it and all", () => {
    const waits = [0, 0.5, 1].map(
      (random) =>
        afterFailure(WELL, { kind: "unavailable", retryAfterSeconds: undefined }, at(random)).blockedUntilMs! - NOW,
    );
    expect(waits).toEqual([2.5 * SECOND, 3.75 * SECOND, 5 * SECOND]);
  });
});

describe("health after a success", () => {
  test.each(["invalid_credential", "rate_limited", "provider_unavailable"] as const)("recovers from %s", (state) => {
    const ill: Health = {
      state,
      blockedUntilMs: NOW,
      consecutiveFailures: 3,
      lastErrorMs: NOW - 5,
      lastRecoveredMs: null,
    };
    expect(afterSuccess(ill, NOW)).toEqual({ ...WELL, lastErrorMs: NOW - 5, lastRecoveredMs: NOW });
  });

  test("is the same object while it was healthy, so that nothing is written", () => {
    expect(afterSuccess(WELL, NOW)).toBe(WELL);
  });
});

test.each([
  [false, 0, "importing"],
  [false, 3, "importing"],
  [true, 0, "active"],
  [true, 3, "degraded"],
])("an agent whose first sweep is done: %s, with %i open failures is %s", (firstIsDone, openFailures, state) => {
  expect(importStateOf({ firstIsDone, openFailures })).toBe(state);
});

describe("a call that was not imported", () => {
  const attempt = (more: Partial<Attempt>): Attempt => ({
    kind: "conversation_incomplete",
    attempts: 1,
    wasOpen: false,
    firstSeenMs: NOW,
    endedMs: NOW - MINUTE,
    ...more,
  });
  test.each<[what: string, attempt: Partial<Attempt>, status: string, waitMs: number]>([
    ["incomplete, just ended", {}, "waiting", 30 * SECOND],
    ["incomplete, ended 14 minutes ago", { endedMs: NOW - 14 * MINUTE, attempts: 28 }, "waiting", 30 * SECOND],
    [
      "incomplete, ended 15 minutes ago",
      { endedMs: NOW - 15 * MINUTE, firstSeenMs: NOW - 14 * MINUTE, attempts: 30 },
      "open",
      14 * MINUTE,
    ],
    ["incomplete, its end unknown, first seen now", { endedMs: undefined }, "waiting", 30 * SECOND],
    ["incomplete, open before", { wasOpen: true, attempts: 2 }, "open", MINUTE],
    ["no answer", { kind: "provider_unavailable" }, "waiting", 30 * SECOND],
    ["no answer, the fifth time", { kind: "provider_unavailable", attempts: 5 }, "open", MINUTE],
    ["gone", { kind: "not_found" }, "open", MINUTE],
    ["gone, for an hour", { kind: "not_found", attempts: 8, firstSeenMs: NOW - HOUR }, "open", HOUR],
    ["gone, for a month", { kind: "not_found", attempts: 40, firstSeenMs: NOW - 30 * DAY }, "open", DAY],
    ["a fault of ours", { kind: "internal" }, "open", MINUTE],
  ])("%s", (_, more, status, waitMs) => {
    expect(afterAttempt(attempt(more), at(0.5))).toEqual({ status, nextAttemptMs: NOW + waitMs });
  });
});

test.each([
  ["analysed", { analysisSeen: true, looks: 0, endedMs: NOW }, null],
  ["just imported", { analysisSeen: false, looks: 0, endedMs: NOW - MINUTE }, NOW + MINUTE],
  ["looked at three times", { analysisSeen: false, looks: 3, endedMs: NOW - HOUR }, NOW + 3 * HOUR],
  ["looked at often enough", { analysisSeen: false, looks: 5, endedMs: NOW - HOUR }, null],
  ["ended long ago", { analysisSeen: false, looks: 0, endedMs: NOW - 2 * DAY }, null],
])("a call that is %s is looked at again as it should be", (_, call, expected) => {
  expect(lookAgainMs(call, at(0.5))).toBe(expected);
});

describe("the scan that is due", () => {
  const done = { polled_to_ms: NOW - 10 * SECOND, late_to_ms: NOW - MINUTE, reconciled_to_ms: NOW - HOUR };
  const window = { fromMs: NOW - 30 * DAY, toMs: NOW, endedFromMs: null };
  test.each([
    ["nothing is in", { polled_to_ms: null, late_to_ms: null, reconciled_to_ms: null }, { kind: "first", ...window }],
    ["all is fresh", done, undefined],
    [
      "the last poll was 30 s ago",
      { ...done, polled_to_ms: NOW - 30 * SECOND },
      { kind: "poll", ...window, fromMs: NOW - 30 * SECOND - 2 * HOUR },
    ],
    [
      "the service was away for a week",
      { polled_to_ms: NOW - 7 * DAY, late_to_ms: NOW, reconciled_to_ms: NOW },
      { kind: "poll", ...window, fromMs: NOW - 7 * DAY - 2 * HOUR },
    ],
    [
      "it was away for two months",
      { polled_to_ms: NOW - 60 * DAY, late_to_ms: NOW, reconciled_to_ms: NOW },
      { kind: "poll", ...window },
    ],
    [
      "late calls were last looked for five minutes ago",
      { ...done, late_to_ms: NOW - 5 * MINUTE },
      { kind: "late", ...window, endedFromMs: NOW - 5 * MINUTE - 2 * HOUR },
    ],
    [
      "the reconciliation is a day ago",
      { ...done, reconciled_to_ms: NOW - DAY },
      { kind: "reconciliation", ...window },
    ],
  ])("when %s", (_, progress, expected) => {
    expect(scanDue(progress, NOW, PACE)).toEqual(expected);
  });

  test("is the one that the next turn is set for", () => {
    const ms = nextScanMs(done, PACE);
    expect(scanDue(done, ms - 1, PACE)).toBeUndefined();
    expect(scanDue(done, ms, PACE)).toMatchObject({ kind: "poll" });
  });

  test.each([
    ["none told", [undefined], 100],
    ["in order", [101, 105], 105],
    ["out of order", [150, 101], 150],
    ["with a fraction", [150.9], 150],
    ["before what was reached", [-5, 0, 99], 100],
    ["past the end, or no number", [1e300, Number.NaN, Number.POSITIVE_INFINITY, 201], 100],
  ])("has reached the last start of a page that makes sense: %s", (_, starts, expected) => {
    expect(reachedAfter(100, starts, 200)).toBe(expected);
  });

  test("has seen, at its end, what the narrower ones would have", () => {
    const none = { polled_to_ms: null, late_to_ms: null, reconciled_to_ms: null };
    const all = { polled_to_ms: NOW, late_to_ms: NOW, reconciled_to_ms: NOW };
    expect(progressAfter({ kind: "first", toMs: NOW }, none)).toEqual(all);
    expect(progressAfter({ kind: "reconciliation", toMs: NOW }, done)).toEqual(all);
    expect(progressAfter({ kind: "late", toMs: NOW }, done)).toEqual({ ...done, late_to_ms: NOW });
    expect(progressAfter({ kind: "poll", toMs: NOW }, done)).toEqual({ ...done, polled_to_ms: NOW });
  });
});
