import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { duesOf, following, newScheduleOf, openClock, runsOf, scheduleOf } from "../support/schedules.ts";
import { keySettings } from "../support/secret.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService } from "./spawned.ts";

const SCHEDULES = 8;
const clock = openClock("2026-05-01T00:30Z");
let processes: Processes;
let services: TestServer[];
beforeAll(async () => {
  processes = await openProcesses(3, following(clock));
  services = processes.services;
});
afterAll(() => processes.stop());

test("processes that race for due times start one run for each", async () => {
  const { client } = services[0]!;
  const schedules = [];
  for (let n = 0; n < SCHEDULES; n++) schedules.push(await newScheduleOf(client, { cron: "*/10 * * * *" }));
  const dues: string[] = [];
  for (let round = 0; round < 6; round++) {
    clock.set(Date.parse("2026-05-01T01:00Z") + round * 600_000);
    dues.push(new Date(clock.now()).toISOString().slice(0, 16));
    for (const { id } of schedules)
      await until("the run has ended", async () => {
        const runs = await runsOf(client, id);
        return runs.length > round && runs.every(({ gradingSettled }) => gradingSettled);
      });
  }
  for (const { id } of schedules) {
    expect(await duesOf(client, id)).toEqual(dues);
    expect(await scheduleOf(client, id)).toMatchObject({ missedCount: 2, skippedCount: 0, problem: null });
    await client.schedules.delete({ scheduleId: id });
  }
});

test("a process that is killed between a due time and its run loses none and doubles none", async () => {
  const { client, adminKey, projectKey } = services[0]!;
  const relational = await openPostgres(processes.databaseUrl);
  const schedules = [];
  for (let n = 0; n < SCHEDULES; n++) schedules.push(await newScheduleOf(client, { cron: "0 0 1 1 *" }));
  const ids = schedules.map(({ id }) => id);
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  // The spawned process uses the real clock, at which the schedule is due. The clock of the other processes is behind.
  const dueMs = Math.floor(Date.now() / 60_000) * 60_000 - 60_000;
  clock.set(dueMs - 600_000);
  const doomed = await spawnService({
    dataDir: folder,
    databases: processes.databases,
    settings: keySettings({ adminKey, projectKey }),
  });
  await relational.db.updateTable("schedules").set({ next_due_ms: dueMs }).where("id", "in", ids).execute();
  await until("it has begun", async () => {
    const runs = await Promise.all(ids.map((id) => runsOf(client, id)));
    return runs.some(({ length }) => length > 0);
  });
  await doomed.kill();
  clock.set(dueMs);
  for (const id of ids) await until("it has a run", async () => (await runsOf(client, id)).length > 0);
  for (const id of ids) expect(await duesOf(client, id)).toEqual([new Date(dueMs).toISOString().slice(0, 16)]);
  await relational.close();
  rmSync(folder, { recursive: true });
});
