import type { Client } from "@svc/sdk";
import { chatConnection } from "./runs.ts";
import { until } from "./until.ts";
import { aTest, freshName } from "./world.ts";

type NewSchedule = Parameters<Client["schedules"]["create"]>[0];

/** A clock that stands still until a spec moves it. */
export function openClock(at: string) {
  let ms = Date.parse(at);
  return {
    now: () => ms,
    set: (time: string | number) => void (ms = typeof time === "number" ? time : Date.parse(time)),
    addSeconds: (seconds: number) => void (ms += seconds * 1000),
  };
}

/** Options of a service whose schedules follow a clock. */
export const following = (clock: { now: () => number }) => ({ runs: { now: clock.now, lookForDueMs: 20 } });

/** Creates a test and a schedule of it, against an address where nothing listens unless `url` says another. */
export async function newScheduleOf(client: Client, more: Partial<NewSchedule> & { cron: string; url?: string }) {
  const { url = "http://127.0.0.1:9/", ...wanted } = more;
  const { id } = await client.tests.create(
    aTest({ scenario: "Caller says: Hello.", expected_behaviors: ['says "fine"'] }),
  );
  const target = await chatConnection(client, url);
  const { schedule } = await client.schedules.create({
    name: freshName("schedule"),
    testIds: [id],
    ...target,
    ...wanted,
  });
  return schedule;
}

/** Returns the runs of a schedule, oldest first. */
export async function runsOf(client: Client, scheduleId: string) {
  const { runs } = await client.runs.list({ scheduleId, pageSize: 200 });
  return runs.reverse();
}

/** Returns the due times of a schedule's runs, oldest first, to the minute. */
export const duesOf = async (client: Client, scheduleId: string) =>
  (await runsOf(client, scheduleId)).map(({ scheduledFor }) => scheduledFor?.slice(0, 16) ?? "by hand");

/** Waits until the schedule has so many runs and all of them have ended, and returns their due times. */
export const duesOnce = (client: Client, scheduleId: string, count: number) =>
  until(`${count} runs have ended`, async () => {
    const runs = await runsOf(client, scheduleId);
    return runs.length >= count && runs.every(({ gradingSettled }) => gradingSettled) && duesOf(client, scheduleId);
  });

export const scheduleOf = async (client: Client, scheduleId: string) =>
  (await client.schedules.get({ scheduleId })).schedule;
