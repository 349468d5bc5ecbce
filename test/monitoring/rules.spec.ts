import { describe, expect, test } from "vitest";
import { PACE } from "../../packages/server/src/monitoring/platform-a/pace.ts";
import type { PlatformError } from "../../packages/server/src/monitoring/platform-a/platform-error.ts";
import {
  afterFailedAttempt,
  afterRead,
  type FailedAttempt,
  healthAfterError,
  healthAfterStop,
  healthAfterSuccess,
  importStateOf,
  isOutage,
  nextReadMs,
  NO_READS,
  type SetupHealth,
} from "../../packages/server/src/monitoring/rules.ts";
import {
  nextScanMs,
  progressAfter,
  reachedAfter,
  scanDue,
} from "../../packages/server/src/monitoring/platform-a/scan-plan.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21, 12);
const at = (random: number) => ({ nowMs: NOW, random, pace: PACE });

const HEALTHY: SetupHealth = {
  state: "healthy",
  blockedUntilMs: null,
  consecutiveFailures: 0,
  lastErrorMs: null,
  lastRecoveredMs: null,
};

describe("a setup's health after an error of the platform", () => {
  test.each<
    [kind: PlatformError["kind"], before: number, retryAfterSeconds: number | undefined, state: string, waitMs: number]
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
  ])("the error %s after %i earlier errors, with Retry-After %s, gives the state %s for %i ms", (...row) => {
    const [kind, consecutiveFailures, retryAfterSeconds, state, waitMs] = row;
    const after = healthAfterError({ ...HEALTHY, consecutiveFailures }, { kind, retryAfterSeconds }, at(1));
    expect(after).toEqual({
      state,
      blockedUntilMs: NOW + waitMs,
      consecutiveFailures: consecutiveFailures + 1,
      lastErrorMs: NOW,
      lastRecoveredMs: null,
    });
  });

  test("a setup's health after an error of the platform blocks requests for a random part of the back-off, at least half of it", () => {
    const waits = [0, 0.5, 1].map(
      (random) =>
        healthAfterError(HEALTHY, { kind: "unavailable", retryAfterSeconds: undefined }, at(random)).blockedUntilMs! -
        NOW,
    );
    expect(waits).toEqual([2.5 * SECOND, 3.75 * SECOND, 5 * SECOND]);
  });
});

describe("a setup's health after a success", () => {
  test.each(["invalid_credential", "rate_limited", "provider_unavailable"] as const)(
    "a setup's health recovers from %s after a success",
    (state) => {
      const unhealthy: SetupHealth = {
        state,
        blockedUntilMs: NOW,
        consecutiveFailures: 3,
        lastErrorMs: NOW - 5,
        lastRecoveredMs: null,
      };
      expect(healthAfterSuccess(unhealthy, NOW)).toEqual({ ...HEALTHY, lastErrorMs: NOW - 5, lastRecoveredMs: NOW });
    },
  );

  test("a success returns the same health object when the setup was healthy already", () => {
    expect(healthAfterSuccess(HEALTHY, NOW)).toBe(HEALTHY);
  });
});

test.each([
  [false, 0, "importing"],
  [false, 3, "importing"],
  [true, 0, "active"],
  [true, 3, "degraded"],
])("an agent whose first scan is done (%s) and that has %i open failures is %s", (firstIsDone, openFailures, state) => {
  expect(importStateOf({ firstIsDone, openFailures })).toBe(state);
});

describe("the next attempt at a failed import", () => {
  const attempt = (more: Partial<FailedAttempt>): FailedAttempt => ({
    kind: "conversation_incomplete",
    attempts: 1,
    wasOpen: false,
    firstSeenMs: NOW,
    endedMs: NOW - MINUTE,
    ...more,
  });
  test.each<[when: string, attempt: Partial<FailedAttempt>, status: string, waitMs: number]>([
    ["a minute after the end of an incomplete call", {}, "waiting", 30 * SECOND],
    [
      "14 minutes after the end of an incomplete call",
      { endedMs: NOW - 14 * MINUTE, attempts: 28 },
      "waiting",
      30 * SECOND,
    ],
    [
      "15 minutes after the end of an incomplete call",
      { endedMs: NOW - 15 * MINUTE, firstSeenMs: NOW - 14 * MINUTE, attempts: 30 },
      "open",
      14 * MINUTE,
    ],
    ["when an incomplete call without an end is first seen", { endedMs: undefined }, "waiting", 30 * SECOND],
    ["when the failure of an incomplete call was open before", { wasOpen: true, attempts: 2 }, "open", MINUTE],
    ["when the platform does not answer for the call", { kind: "provider_unavailable" }, "waiting", 5 * SECOND],
    [
      "when the platform does not answer for the third time",
      { kind: "provider_unavailable", attempts: 3 },
      "waiting",
      20 * SECOND,
    ],
    [
      "when the platform does not answer for the sixth time",
      { kind: "provider_unavailable", attempts: 6 },
      "waiting",
      30 * SECOND,
    ],
    [
      "when the platform does not answer for the seventh time",
      { kind: "provider_unavailable", attempts: 7 },
      "open",
      MINUTE,
    ],
    [
      "when the platform does not answer for a call whose failure was open before",
      { kind: "provider_unavailable", wasOpen: true, attempts: 2 },
      "open",
      MINUTE,
    ],
    ["when the call is not found", { kind: "not_found" }, "open", MINUTE],
    [
      "when the call has not been found for an hour",
      { kind: "not_found", attempts: 8, firstSeenMs: NOW - HOUR },
      "open",
      HOUR,
    ],
    [
      "when the call has not been found for a month",
      { kind: "not_found", attempts: 40, firstSeenMs: NOW - 30 * DAY },
      "open",
      DAY,
    ],
    ["after a fault of the service", { kind: "internal" }, "open", MINUTE],
  ])("a failed import is tried again: %s", (_, more, status, waitMs) => {
    expect(afterFailedAttempt(attempt(more), at(0.5))).toEqual({ status, nextAttemptMs: NOW + waitMs });
  });
});

test.each([
  ["that has its analysis", { hasAnalysis: true, rereads: 0, endedMs: NOW }, null],
  ["that was imported just now", { hasAnalysis: false, rereads: 0, endedMs: NOW - MINUTE }, NOW + MINUTE],
  ["that was read again three times", { hasAnalysis: false, rereads: 3, endedMs: NOW - HOUR }, NOW + 3 * HOUR],
  ["that was read again five times", { hasAnalysis: false, rereads: 5, endedMs: NOW - HOUR }, null],
  ["that ended two days ago", { hasAnalysis: false, rereads: 0, endedMs: NOW - 2 * DAY }, null],
])("a call %s is read again at the right time or never", (_, call, expected) => {
  expect(nextReadMs(call, at(0.5))).toBe(expected);
});

describe("the reads of a step", () => {
  const KINDS = {
    S: undefined,
    U: "unavailable",
    L: "rate_limited",
    N: "not_found",
    R: "unreadable",
  } as const;
  const runOf = (reads: string) =>
    [...reads].reduce((run, read) => afterRead(run, KINDS[read as keyof typeof KINDS]), NO_READS);

  // S: success, U: no answer, L: rate limited, N: not found, R: unreadable answer.
  test.each([
    ["", false, false],
    ["UUUUU", false, false],
    ["UUUUUU", true, false],
    ["SSSUSSSUSSSUSSSUSSSUSSSUSSSU", false, true],
    ["UUUUUSUUUUU", false, true],
    ["UUULUUU", true, false],
    ["SSSSUUUUUU", true, true],
    ["UUUNUUU", true, false],
    ["RRRRRRRRRR", false, false],
  ])("the reads %j are an outage: %s, and one succeeded: %s", (reads, outage, hasSucceeded) => {
    const run = runOf(reads);
    expect([isOutage(run), run.hasSucceeded]).toEqual([outage, hasSucceeded]);
  });
});

test.each([
  [true, 1, 5 * SECOND],
  [false, 5, 80 * SECOND],
])("when a read succeeded (%s) before the error of a step, it is error %i in a row", (hasSucceeded, inARow, waitMs) => {
  const health: SetupHealth = {
    ...HEALTHY,
    state: "provider_unavailable",
    blockedUntilMs: NOW,
    consecutiveFailures: 4,
  };
  const error = { kind: "unavailable", retryAfterSeconds: undefined } as const;
  expect(healthAfterStop(health, { ...NO_READS, hasSucceeded }, error, at(1))).toMatchObject({
    state: "provider_unavailable",
    blockedUntilMs: NOW + waitMs,
    consecutiveFailures: inARow,
  });
});

describe("the scan that is due", () => {
  const done = { polled_to_ms: NOW - 10 * SECOND, late_to_ms: NOW - MINUTE, reconciled_to_ms: NOW - HOUR };
  const window = { fromMs: NOW - 30 * DAY, toMs: NOW, endedFromMs: null };
  test.each([
    [
      "nothing is imported",
      { polled_to_ms: null, late_to_ms: null, reconciled_to_ms: null },
      { kind: "first", ...window },
    ],
    ["every kind of scan ran recently", done, undefined],
    [
      "the last poll was 30 s ago",
      { ...done, polled_to_ms: NOW - 30 * SECOND },
      { kind: "poll", ...window, fromMs: NOW - 30 * SECOND - 2 * HOUR },
    ],
    [
      "the service was stopped for a week",
      { polled_to_ms: NOW - 7 * DAY, late_to_ms: NOW, reconciled_to_ms: NOW },
      { kind: "poll", ...window, fromMs: NOW - 7 * DAY - 2 * HOUR },
    ],
    [
      "the service was stopped for two months",
      { polled_to_ms: NOW - 60 * DAY, late_to_ms: NOW, reconciled_to_ms: NOW },
      { kind: "poll", ...window },
    ],
    [
      "the last scan for late calls was five minutes ago",
      { ...done, late_to_ms: NOW - 5 * MINUTE },
      { kind: "late", ...window, endedFromMs: NOW - 5 * MINUTE - 2 * HOUR },
    ],
    [
      "the last reconciliation was a day ago",
      { ...done, reconciled_to_ms: NOW - DAY },
      { kind: "reconciliation", ...window },
    ],
  ])("the scan that is due has the right kind and window when %s", (_, progress, expected) => {
    expect(scanDue(progress, NOW, PACE)).toEqual(expected);
  });

  test("a scan is due when the agent's next step is due", () => {
    const ms = nextScanMs(done, PACE);
    expect(scanDue(done, ms - 1, PACE)).toBeUndefined();
    expect(scanDue(done, ms, PACE)).toMatchObject({ kind: "poll" });
  });

  test.each([
    ["the page has no start", [undefined], 100],
    ["the starts are in order", [101, 105], 105],
    ["the starts are out of order", [150, 101], 150],
    ["a start has a fraction", [150.9], 150],
    ["every start is before the start reached", [-5, 0, 99], 100],
    ["no start is a number within the window", [1e300, Number.NaN, Number.POSITIVE_INFINITY, 201], 100],
  ])("a scan has reached the latest plausible start on a page when %s", (_, starts, expected) => {
    expect(reachedAfter(100, starts, 200)).toBe(expected);
  });

  test("a scan that ends counts as each narrower scan too", () => {
    const none = { polled_to_ms: null, late_to_ms: null, reconciled_to_ms: null };
    const all = { polled_to_ms: NOW, late_to_ms: NOW, reconciled_to_ms: NOW };
    expect(progressAfter({ kind: "first", toMs: NOW }, none)).toEqual(all);
    expect(progressAfter({ kind: "reconciliation", toMs: NOW }, done)).toEqual(all);
    expect(progressAfter({ kind: "late", toMs: NOW }, done)).toEqual({ ...done, late_to_ms: NOW });
    expect(progressAfter({ kind: "poll", toMs: NOW }, done)).toEqual({ ...done, polled_to_ms: NOW });
  });
});
