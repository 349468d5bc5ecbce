import { monitor_platform_b } from "@svc/worker-helper";
import { expect, test } from "vitest";
import { newSecret } from "../support/secret.ts";

const apiKey = newSecret();
const url = "http://127.0.0.1:1";
const callbacks: (() => Promise<void>)[] = [];
const contextOf = (id: string) => ({
  job: { id, agentName: "clinic", room: { name: "call-42", sid: "RM_1" } },
  addShutdownCallback: (callback: () => Promise<void>) => void callbacks.push(callback),
});

// A process has only one monitor, so each spec depends on the specs before it.
test("monitor_platform_b installs nothing when it throws", () => {
  expect(() => monitor_platform_b(contextOf("AJ_1"), { url, apiKey: "wrong" })).toThrow(/SVC_API_KEY/);
  expect(() => monitor_platform_b(undefined as never, { url, apiKey })).toThrow(/JobContext/);
  expect(() => monitor_platform_b({ job: {} } as never, { url, apiKey })).toThrow(/JobContext/);
  class JobContext {
    job = contextOf("AJ_1").job;
    addShutdownCallback = () => {};
  }
  expect(() => monitor_platform_b(new JobContext(), { url, apiKey })).toThrow(/another copy.*install it once/);
  expect(callbacks).toEqual([]);
});

test("a second call with the same job and settings returns the same monitor and registers no second callback", () => {
  const first = monitor_platform_b(contextOf("AJ_1"), { url, apiKey });
  expect(monitor_platform_b(contextOf("AJ_1"), { url, apiKey })).toBe(first);
  expect(callbacks).toHaveLength(1);
});

test.each([
  ["another address", "AJ_1", { url: "http://127.0.0.1:2", apiKey }],
  ["another key", "AJ_1", { url, apiKey: newSecret() }],
  ["another agent name", "AJ_1", { url, apiKey, agentName: "other" }],
  ["another job", "AJ_2", { url, apiKey }],
])("a second call with %s throws with the remedy and without the key", (_name, job, options) => {
  const call = () => monitor_platform_b(contextOf(job), options);
  expect(call).toThrow(/monitored already.*call it once, in entry/);
  expect(call).not.toThrow(options.apiKey);
});

test("a change of the returned counters does not change the monitor's counters", () => {
  const monitor = monitor_platform_b(contextOf("AJ_1"), { url, apiKey });
  monitor.counters().delivered = 99;
  expect(monitor.counters()).toMatchObject({ recorded: 0, delivered: 0, lastProblem: null });
});
