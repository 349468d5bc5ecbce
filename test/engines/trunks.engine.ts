import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeSipAgent, startFakeSipAgent } from "../support/calls/fake-sip-agent.ts";
import { phoneConnection, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";

const NUMBER = "+493011111111";
const PER_MINUTE = 5;

let processes: Processes;
let services: TestServer[];
let carrier: FakeSipAgent;
beforeAll(async () => {
  carrier = await startFakeSipAgent({ [NUMBER]: (call) => call.respond(486) });
  processes = await openProcesses(3, {});
  ({ services } = processes);
});
afterAll(async () => {
  await processes.stop();
  carrier.stop();
});

const countCalls = () =>
  new Set(
    carrier.received.flatMap(({ method, text }) => (method === "INVITE" ? /^Call-ID: (.*)$/m.exec(text)![1] : [])),
  ).size;

test("processes that play simulations at the same time together place no more calls than a trunk permits", async () => {
  const { client } = services[0]!;
  const address = `127.0.0.1:${carrier.port}`;
  const wanted = { name: "Carrier", address, callerId: "1001", allowedNumbers: [NUMBER] };
  const { trunk } = await client.trunks.create({ ...wanted, callsPerMinute: PER_MINUTE, callsPerDay: 8 });
  const over = await phoneConnection(client, { phoneNumber: NUMBER });
  const testVersions = await versionsOf(client, [{ scenario: "Says: Goodbye.", behaviors: ["ends the call"] }]);
  const run = { ...over, testVersions, caller: "scripted", iterations: 8, concurrency: 8 } as const;
  const runs = await Promise.all(services.map((service) => startRun(service.client, run)));
  await until("the minute is full", () => countCalls() >= PER_MINUTE);
  await delay(2_000);
  expect(countCalls()).toBe(PER_MINUTE);
  // The day has three calls left, and every other simulation is refused.
  await client.trunks.edit({ trunkId: trunk.id, callsPerMinute: 100 });
  const simulations = await until("every simulation has ended", async () => {
    const all = (await Promise.all(runs.map(({ id }) => simulationsOf(client, id)))).flat();
    return all.every(({ status }) => status === "failed") && all;
  });
  expect(countCalls()).toBe(8);
  const reasons = simulations.map(({ endingReason }) => endingReason);
  expect(reasons.filter((reason) => reason === "busy")).toHaveLength(8);
  expect(reasons.filter((reason) => reason === "call_not_placed")).toHaveLength(16);
  expect((await client.trunks.get({ trunkId: trunk.id })).trunk.callsInLastDay).toBe(8);
});
