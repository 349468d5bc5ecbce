import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../../support/chat-agent.ts";
import { drawsOfCases } from "../../support/long-form.ts";
import { duesOf, duesOnce, following, newScheduleOf, openClock, runsOf, scheduleOf } from "../../support/schedules.ts";
import { keySettings } from "../../support/secret.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { freshName } from "../../support/world.ts";

const casesOf = drawsOfCases();
const clock = openClock("2026-03-02T11:58:30Z");
let server: TestServer;
let agent: ChatAgent;
let release: PromiseWithResolvers<object>;
beforeAll(async () => {
  server = await startServer(following(clock));
  agent = await startChatAgent(({ event }) => (event === "start" ? {} : release.promise));
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

/** Stops the service, and starts it again on its folder and with the clock of the spec. */
async function restart(atStop: () => void = () => undefined): Promise<void> {
  const { dataDir } = server;
  const settings = keySettings(server);
  await server.close();
  atStop();
  server = await startServer({ ...following(clock), dataDir, settings });
}

const minute = (at: number) => new Date(Date.parse("2026-03-02T12:00Z") + at * 60_000).toISOString().slice(0, 16);

test("each due time starts one run, even when the service starts again at every second of a minute", async () => {
  clock.set("2026-03-02T11:59:30Z");
  const { id } = await newScheduleOf(server.client, { cron: "* * * * *" });
  const seconds = casesOf(
    Array.from({ length: 60 }, (_, second) => second),
    5,
  ).sort((one, other) => one - other);
  for (const [at, second] of seconds.entries()) {
    clock.set(Date.parse("2026-03-02T12:00Z") + at * 60_000 - 1000);
    await until("nothing is due", async () =>
      (await scheduleOf(server.client, id)).nextTimes[0]!.startsWith(minute(at)),
    );
    await restart(() => clock.set(Date.parse("2026-03-02T12:00Z") + at * 60_000 + second * 1000));
    await duesOnce(server.client, id, at + 1);
  }
  expect(await duesOf(server.client, id)).toEqual(seconds.map((_, at) => minute(at)));
  expect(await scheduleOf(server.client, id)).toMatchObject({ missedCount: 0, skippedCount: 0, problem: null });
  await server.client.schedules.delete({ scheduleId: id });
  expect(await runsOf(server.client, id)).toHaveLength(seconds.length);
});

test.each([
  ["Europe/Berlin", "30 2 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
  ["Europe/Berlin", "30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
  ["America/New_York", "30 2 * * *", "2027-03-13T12:00Z", ["2027-03-14T07:00", "2027-03-15T06:30"]],
  ["America/New_York", "30 1 * * *", "2027-11-06T12:00Z", ["2027-11-07T05:30", "2027-11-08T06:30"]],
])("in %s, %s from %s starts one run a day", async (timeZone, cron, from, dues) => {
  clock.set(from);
  const { id } = await newScheduleOf(server.client, { cron, timeZone });
  for (const [at, due] of dues.entries()) {
    for (const halfHour of [-1, 0, 1, 2, 3]) {
      clock.set(Date.parse(`${due}Z`) + halfHour * 30 * 60_000);
      await duesOnce(server.client, id, at + (halfHour < 0 ? 0 : 1));
    }
  }
  expect(await duesOf(server.client, id)).toEqual(dues);
  await server.client.schedules.delete({ scheduleId: id });
});

test("a leap day starts one run", async () => {
  clock.set("2028-02-28T23:59:59Z");
  const { id, nextTimes } = await newScheduleOf(server.client, { cron: "0 12 29 2 *" });
  expect(nextTimes.map((time) => time.slice(0, 10))).toEqual([
    "2028-02-29",
    "2032-02-29",
    "2036-02-29",
    "2040-02-29",
    "2044-02-29",
  ]);
  clock.set("2028-02-29T12:00:00Z");
  expect(await duesOnce(server.client, id, 1)).toEqual(["2028-02-29T12:00"]);
  await server.client.schedules.delete({ scheduleId: id });
});

test("after a stop one missed run is made up, and the schedule says how many were not", async () => {
  clock.set("2029-05-01T00:30Z");
  const { id } = await newScheduleOf(server.client, { cron: "0 * * * *" });
  await restart(() => clock.set("2029-05-01T07:20Z"));
  expect(await duesOnce(server.client, id, 1)).toEqual(["2029-05-01T07:00"]);
  const schedule = await scheduleOf(server.client, id);
  expect(schedule).toMatchObject({ missedCount: 6, skippedCount: 0, lastMissedAt: "2029-05-01T07:00:00.000Z" });
  expect(schedule.nextTimes[0]).toBe("2029-05-01T08:00:00.000Z");
  const { events } = await server.client.events.list({ type: "schedule.missed" });
  expect(events).toEqual([
    expect.objectContaining({
      link: expect.stringContaining(`/schedules/${id}`),
      data: { schedule: expect.objectContaining({ id }), missed: 6, skipped: 0, problem: null },
    }),
  ]);
  clock.set("2029-05-01T08:00Z");
  expect(await duesOnce(server.client, id, 2)).toEqual(["2029-05-01T07:00", "2029-05-01T08:00"]);
  await server.client.schedules.delete({ scheduleId: id });
});

test("a paused schedule starts nothing, and makes up nothing when it is resumed", async () => {
  clock.set("2029-06-01T00:30Z");
  const { id: scheduleId } = await newScheduleOf(server.client, { cron: "0 * * * *" });
  const { schedule } = await server.client.schedules.edit({ scheduleId, paused: true });
  expect(schedule).toMatchObject({ paused: true, nextTimes: [] });
  clock.set("2029-06-01T05:30Z");
  const resumed = (await server.client.schedules.edit({ scheduleId, paused: false })).schedule;
  expect(resumed.nextTimes[0]).toBe("2029-06-01T06:00:00.000Z");
  clock.set("2029-06-01T06:00Z");
  expect(await duesOnce(server.client, scheduleId, 1)).toEqual(["2029-06-01T06:00"]);
  expect(await scheduleOf(server.client, scheduleId)).toMatchObject({ missedCount: 0 });
  await server.client.schedules.delete({ scheduleId });
});

test("while the run before is still going, `skip` starts none and counts it", async () => {
  release = Promise.withResolvers();
  clock.set("2029-07-01T00:30Z");
  const { id } = await newScheduleOf(server.client, { cron: "0 * * * *", url: agent.url });
  clock.set("2029-07-01T01:00Z");
  await until("a run is going", async () => (await runsOf(server.client, id))[0]?.status === "running");
  clock.set("2029-07-01T02:00Z");
  await until("it is skipped", async () => (await scheduleOf(server.client, id)).skippedCount === 1);
  release.resolve({ message: "Fine.", ended: true });
  expect(await duesOnce(server.client, id, 1)).toEqual(["2029-07-01T01:00"]);
  clock.set("2029-07-01T03:00Z");
  expect(await duesOnce(server.client, id, 2)).toEqual(["2029-07-01T01:00", "2029-07-01T03:00"]);
  expect(await scheduleOf(server.client, id)).toMatchObject({ skippedCount: 1, missedCount: 0 });
  await server.client.schedules.delete({ scheduleId: id });
});

test("while the run before is still going, `queue` lets one due time wait, even over a restart", async () => {
  release = Promise.withResolvers();
  clock.set("2029-08-01T00:30Z");
  const { id } = await newScheduleOf(server.client, { cron: "0 * * * *", url: agent.url, overlap: "queue" });
  clock.set("2029-08-01T01:00Z");
  await until("a run is going", async () => (await runsOf(server.client, id))[0]?.status === "running");
  clock.set("2029-08-01T02:00Z");
  await until("it waits", async () => (await scheduleOf(server.client, id)).waiting);
  clock.set("2029-08-01T03:00Z");
  await until("the later one waits", async () => (await scheduleOf(server.client, id)).skippedCount === 1);
  await restart();
  expect(await scheduleOf(server.client, id)).toMatchObject({ waiting: true });
  release.resolve({ message: "Fine.", ended: true });
  expect(await duesOnce(server.client, id, 2)).toEqual(["2029-08-01T01:00", "2029-08-01T03:00"]);
  expect(await scheduleOf(server.client, id)).toMatchObject({ waiting: false, skippedCount: 1, missedCount: 0 });
  await server.client.schedules.delete({ scheduleId: id });
});

test("what keeps a run from starting is shown with what to do, and the next times go on", async () => {
  clock.set("2029-09-01T00:30Z");
  const suite = (await server.client.suites.create({ name: freshName("suite") })).testSuite;
  const test = await server.client.tests.create({
    name: freshName("test"),
    scenario: "Caller says: Hello.",
    expected_behaviors: ['says "fine"'],
    suite: suite.id,
  });
  const { id, agentId, connectionId } = await newScheduleOf(server.client, {
    cron: "0 * * * *",
    testIds: undefined,
    suiteId: suite.id,
  });
  const problemAt = (hour: number) =>
    until(`a problem at ${hour}`, async () => {
      const { problem } = await scheduleOf(server.client, id);
      return problem?.at.startsWith(`2029-09-01T0${hour}:00`) && problem;
    });
  await server.client.tests.delete({ testId: test.id });
  clock.set("2029-09-01T01:00Z");
  expect(await problemAt(1)).toMatchObject({ message: expect.stringContaining("The suite has no tests"), count: 1 });
  await server.client.connections.archive({ agentId, connectionId });
  clock.set("2029-09-01T02:00Z");
  expect(await problemAt(2)).toMatchObject({
    message: expect.stringContaining("The connection is archived"),
    count: 2,
  });
  await server.client.agents.archive({ agentId });
  clock.set("2029-09-01T03:00Z");
  expect(await problemAt(3)).toMatchObject({ message: expect.stringContaining("The agent is archived"), count: 3 });
  await server.client.suites.delete({ suiteId: suite.id });
  clock.set("2029-09-01T04:00Z");
  expect(await problemAt(4)).toMatchObject({
    message: expect.stringContaining("The suite of this schedule"),
    count: 4,
  });
  expect(await runsOf(server.client, id)).toEqual([]);
  const { events } = await server.client.events.list({ type: "schedule.missed", pageSize: 4 });
  expect(events.map(({ data }) => "problem" in data && data.problem?.slice(0, 10))).toEqual([
    "The suite ",
    "The agent ",
    "The connec",
    "The suite ",
  ]);
  const other = await newScheduleOf(server.client, { cron: "0 0 1 1 *" });
  const { testIds } = other;
  await server.client.schedules.edit({
    scheduleId: id,
    testIds,
    agentId: other.agentId,
    connectionId: other.connectionId,
  });
  clock.set("2029-09-01T05:00Z");
  expect(await duesOnce(server.client, id, 1)).toEqual(["2029-09-01T05:00"]);
  expect(await scheduleOf(server.client, id)).toMatchObject({ problem: null, missedCount: 0 });
});
