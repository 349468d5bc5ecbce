import { afterEach, expect, test } from "vitest";
import { callBefore, type Monitored, openMonitored } from "../support/monitoring.ts";

let m: Monitored;
afterEach(() => m.stop());

test("the first sweep imports the calls of 30 days and none before", async () => {
  m = await openMonitored();
  const recent = [callBefore(5), callBefore(60), callBefore(24 * 60), callBefore(29 * 24 * 60)];
  m.fake.addCalls([...recent, callBefore(31 * 24 * 60)]);
  expect((await m.save()).agents[0]).toMatchObject({ state: "importing", scan: null });
  const setup = await m.until("the agent is active", ({ agents }) => agents[0]!.state === "active");
  expect(setup.health.state).toBe("healthy");
  expect(await m.conversations()).toEqual(recent.map((call) => call.call_id).sort());
});
