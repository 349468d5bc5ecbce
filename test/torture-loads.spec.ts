import type { ScheduledRun } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startAgent } from "../torture/agent.ts";
import { alertLoad, faultsOfAlerts, type ReadAlerts } from "../torture/loads/alerts.ts";
import type { Access, Load } from "../torture/loads/load.ts";
import { faultsOfSchedule, type ReadSchedule, scheduleLoad } from "../torture/loads/schedules.ts";
import { drawsOf } from "../torture/random.ts";
import { startServer, type TestServer } from "./support/server.ts";

// The loads of the torture whose facts depend on the clock of the service.

const MINUTE_MS = 60_000;

describe("the oracle of a load", () => {
  const draws = drawsOf("clocks");
  let server: TestServer;
  let agent: Awaited<ReturnType<typeof startAgent>>;
  let access: Access;
  const moveClock = (minutes: number) => vi.useFakeTimers({ now: Date.now() + minutes * MINUTE_MS, toFake: ["Date"] });
  beforeAll(async () => {
    moveClock(0);
    agent = await startAgent(draws);
    server = await startServer({
      settings: { SVC_OUTBOUND_PRIVATE: "true" },
      runs: { now: () => Date.now(), lookForDueMs: 20 },
      evaluateAlertsEveryMs: 20,
      senderPace: { everyMs: 20 },
    });
    const { url, client, admin, projectKey, dataDir } = server;
    access = { url, client, admin, projectKey, dataDir, draws };
  });
  afterAll(async () => {
    agent.stop();
    await server.stop();
    vi.useRealTimers();
  });

  const loads: [string, () => Load, minutes: number, RegExp][] = [
    ["schedules", () => scheduleLoad(agent), 2, /^schedules: skip: the run run_\w+ of null is missing or has moved/],
    ["alerts", alertLoad, 10, /^alerts: alt_\w+ was ".*" and is missing/],
  ];

  test.each(loads)(
    "%s finds no fault in a sound service, and finds a fact that the service never had",
    async (_, open, minutes, fault) => {
      const load = open();
      await load.prepare?.(access);
      for (let look = 0; look < 5; look++) {
        moveClock(minutes);
        expect(await load.faults(access)).toEqual([]);
        await load.step(access);
      }
      expect(load.acknowledged()).toBeGreaterThan(5);
      load.plant();
      expect((await load.faults({ ...access, waitMs: 300 })).join("\n")).toMatch(fault);
      await load.close?.();
    },
  );
});

describe("the oracle of schedules", () => {
  const minute = (number: number) => new Date(number * MINUTE_MS).toISOString();
  const run = (number: number, more: Partial<ScheduledRun> = {}): ScheduledRun => ({
    runId: `r${number}`,
    status: "completed",
    outcome: "passed",
    scheduledFor: minute(number),
    createdAt: minute(number),
    endedAt: minute(number),
    passedTests: 1,
    failedTests: 0,
    undecidedTests: 0,
    brokenCount: 0,
    brokenTests: [],
    mendedCount: 0,
    mendedTests: [],
    lastGoodRunId: number === 1 ? null : "r1",
    ...more,
  });
  const runs = [run(1), run(3, { outcome: "failed", brokenCount: 1 }), run(4, { mendedCount: 1 })];
  const schedule = {
    name: "queue",
    nextTimes: [minute(6)],
    missedCount: 1,
    skippedCount: 0,
    waiting: true,
    problem: null,
  };
  const right: ReadSchedule = { firstDueMs: MINUTE_MS, schedule, runs, completed: runs, told: 1 };
  const shown = {
    dues: new Map([["r1", minute(1)]]),
    comparisons: new Map([["r3", "failed, 1 broken, 0 mended, last good r1"]]),
    lost: 1,
  };

  test("the oracle of schedules accepts runs, a missed due time and one that waits", () =>
    expect(faultsOfSchedule(shown, right)).toEqual([]));

  test.each<[string, Partial<ReadSchedule>, RegExp]>([
    ["a due time without a run", { schedule: { ...schedule, waiting: false } }, /5 due times passed; 3 have runs/],
    ["a due time with two runs", { runs: [...runs, run(4, { runId: "r5" })] }, /a due time has two runs/],
    ["a run that is gone", { runs: runs.slice(1) }, /the run r1 of .* is missing/],
    ["a missed due time that no event tells of", { told: 0 }, /1 due times are lost, and events tell of 0/],
    ["a run without an event", { completed: runs.slice(1) }, /the run r1 has 0 events of its end/],
    ["a run with two events", { completed: [...runs, runs[0]!] }, /the run r1 has 2 events of its end/],
    [
      "a comparison that changed",
      { runs: runs.with(1, run(3, { outcome: "failed" })) },
      /the comparison of r3 was "failed, 1 broken, 0 mended, last good r1"/,
    ],
    ["a run that is not over", { runs: runs.with(2, run(4, { outcome: null })) }, /the run r4 is not over/],
  ])("the oracle of schedules finds %s", (_, wrong, fault) =>
    expect(faultsOfSchedule(shown, { ...right, ...wrong }).join("\n")).toMatch(fault),
  );
});

describe("the oracle of alerts", () => {
  const alert = { agentName: "Hotel", raisedAt: "10:05", clearedAt: "10:10", value: 2_500, samples: 2 };
  const event = (id: string, type: string) => ({ id, type, alertId: "a" });
  const events = [event("e1", "alert.raised"), event("e2", "alert.cleared")];
  const { agentName, ...tested } = alert;
  const right: ReadAlerts = {
    ruleName: "slow",
    alerts: [{ id: "a", ...alert }],
    backTest: [{ agentName, alerts: [tested] }],
    events,
    arrived: ["e1", "e2"],
  };

  test("the oracle of alerts accepts the alerts of a back-test", () => expect(faultsOfAlerts(right)).toEqual([]));

  test.each<[string, Partial<ReadAlerts>, RegExp]>([
    ["a lost alert", { alerts: [] }, /recorded 0 times instead of 1/],
    ["an alert that was raised twice", { alerts: [...right.alerts, { id: "b", ...alert }] }, /recorded 2 times/],
    [
      "an alert that was never cleared",
      { alerts: [{ id: "a", ...alert, clearedAt: null }] },
      /to now, .* instead of 0/,
    ],
    ["a lost event", { events: events.slice(1) }, /the alert a has the events "alert.cleared"/],
    [
      "a doubled event",
      { events: [events[0]!, ...events] },
      /has the events "alert.raised, alert.raised, alert.cleared"/,
    ],
    ["an event that did not arrive", { arrived: ["e1"] }, /of 2 events of a, 1 arrived/],
    ["events in another order", { arrived: ["e2", "e1"] }, /arrived in their order/],
  ])("the oracle of alerts finds %s", (_, wrong, fault) =>
    expect(faultsOfAlerts({ ...right, ...wrong }).join("\n")).toMatch(fault),
  );
});
