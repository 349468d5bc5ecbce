import type { Destination } from "@svc/sdk";
import { describe, expect, test } from "vitest";
import { freeName, stateOf } from "../../packages/web/src/notifications/destination-words.ts";

const DESTINATION: Destination = {
  id: "dst_1",
  projectId: "prj_1",
  name: "CI",
  kind: "webhook",
  address: "https://example.com/hook",
  eventTypes: ["run.completed"],
  agents: [],
  quotes: false,
  paused: false,
  pauseReason: null,
  failing: null,
  waitingCount: 0,
  failedCount: 0,
  lastDeliveredAt: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};
const FAILING = {
  since: "2026-01-01T00:00:00.000Z",
  failures: 2,
  problem: "The receiver answered with the status 500.",
};

describe("a destination", () => {
  test.each<[state: string, more: Partial<Destination>]>([
    ["new", {}],
    ["new", { failedCount: 1 }],
    ["waiting", { waitingCount: 1 }],
    ["working", { lastDeliveredAt: "2026-01-01T00:00:00.000Z" }],
    ["failing", { failing: FAILING, waitingCount: 1, lastDeliveredAt: "2026-01-01T00:00:00.000Z" }],
    ["paused", { paused: true, pauseReason: "person", failing: FAILING }],
    ["gone", { paused: true, pauseReason: "gone", failing: FAILING }],
  ])("a destination is %s with %j, and never working before its first event", (state, more) => {
    expect(stateOf({ ...DESTINATION, ...more })).toBe(state);
  });

  test("a destination is named after its kind, with a number when the name is taken", () => {
    expect(freeName("slack", [])).toBe("Slack");
    expect(freeName("slack", ["Slack", "Slack 2"])).toBe("Slack 3");
  });
});
