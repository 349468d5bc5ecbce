import { setTimeout as delay } from "node:timers/promises";
import type { Schedule, ScheduledRun } from "@svc/contract";
import { createClient, pages } from "@svc/sdk";
import { chatConnection } from "../../test/support/runs.ts";
import { aTest } from "../../test/support/world.ts";
import type { ServiceAgent } from "../agent.ts";
import { type Access, lastingFaults, type Load } from "./load.ts";

const MINUTE_MS = 60_000;
const PAUSE_MS = 100;
/** Share of the steps that change the test of a schedule, so that the agent breaks or keeps its promise in the next run. */
const CHANGE_SHARE = 0.1;

/** What the service showed of a schedule. */
export type ShownOfSchedule = {
  /** Due times, by the id of their run. */
  dues: Map<string, string | null>;
  /** Comparisons of runs that had ended, as had all runs before them; by the id of the run. */
  comparisons: Map<string, string>;
  /** Greatest number of due times without a run. */
  lost: number;
};

type Subject = { scheduleId: string; testId: string; firstDueMs: number; shown: ShownOfSchedule };

/** A schedule as the service shows it. */
export type ReadSchedule = {
  firstDueMs: number;
  schedule: Pick<Schedule, "name" | "nextTimes" | "missedCount" | "skippedCount" | "waiting" | "problem">;
  /** Oldest first. */
  runs: readonly ScheduledRun[];
  /** Comparisons of the events `run.completed`. */
  completed: readonly ScheduledRun[];
  /** Number of due times without a run in the events `schedule.missed`. */
  told: number;
};

/**
 * Has two schedules that are due every minute, and changes their tests. The acknowledged facts are the runs that the service showed, their
 * comparisons, and the number of due times without a run.
 */
export function scheduleLoad(agent: ServiceAgent): Load {
  const subjects: Subject[] = [];
  const [kept, , broken] = agent.scenarios(3);
  let projectKey = "";

  const clientAt = (url: string) => createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });

  async function prepare({ url, admin }: Access): Promise<void> {
    const project_id = (await admin.projects.create({ name: "Schedules" })).project.id;
    projectKey = (await admin.keys.create({ project_id })).secret;
    const client = clientAt(url);
    const connection = await chatConnection(client, agent.url);
    for (const overlap of ["skip", "queue"] as const) {
      const { scenario, behaviors } = kept!;
      const { id: testId } = await client.tests.create(aTest({ scenario, expected_behaviors: behaviors }));
      const wanted = { name: overlap, cron: "* * * * *", overlap, testIds: [testId], ...connection };
      const { schedule } = await client.schedules.create(wanted);
      const shown = { dues: new Map(), comparisons: new Map(), lost: 0 };
      subjects.push({ scheduleId: schedule.id, testId, firstDueMs: Date.parse(schedule.nextTimes[0]!), shown });
    }
  }

  async function step({ url, draws }: Access): Promise<void> {
    const client = clientAt(url);
    for (const { scheduleId, testId, shown } of subjects) {
      if (draws.next() < CHANGE_SHARE) {
        const { version_id } = await client.tests.get({ testId });
        const { scenario } = draws.pick([kept, broken])!;
        await client.tests.edit({ testId, expected_version_id: version_id, scenario });
      }
      remember(shown, await read(client, scheduleId));
    }
    await delay(PAUSE_MS);
  }

  async function read(client: ReturnType<typeof clientAt>, scheduleId: string) {
    const { schedule } = await client.schedules.get({ scheduleId });
    const runs: ScheduledRun[] = [];
    for await (const run of pages(client.schedules.runs, { scheduleId, pageSize: 200 })) runs.unshift(run);
    return { schedule, runs };
  }

  function faults(access: Access): Promise<string[]> {
    const client = clientAt(access.url);
    return lastingFaults(access, async () => {
      const completed: ScheduledRun[] = [];
      for await (const { data } of pages(client.events.list, { type: "run.completed", pageSize: 200 }))
        if ("scheduled" in data && data.scheduled !== null) completed.push(data.scheduled);
      const told = new Map<string, number>();
      for await (const { data } of pages(client.events.list, { type: "schedule.missed", pageSize: 200 })) {
        if (!("skipped" in data)) continue;
        const { schedule, missed, skipped } = data;
        told.set(schedule.id, (told.get(schedule.id) ?? 0) + missed + skipped);
      }
      const found: string[] = [];
      for (const { scheduleId, firstDueMs, shown } of subjects) {
        const { schedule, runs } = await read(client, scheduleId);
        const ids = new Set(runs.map(({ runId }) => runId));
        const ofSchedule = completed.filter(({ runId }) => ids.has(runId));
        const now = { firstDueMs, schedule, runs, completed: ofSchedule, told: told.get(scheduleId) ?? 0 };
        found.push(...faultsOfSchedule(shown, now));
        remember(shown, now);
      }
      return found;
    });
  }

  return {
    name: "schedules",
    prepare,
    step,
    faults,
    acknowledged: () =>
      subjects.reduce((sum, { shown }) => sum + shown.dues.size + shown.comparisons.size + shown.lost, 0),
    plant: () => void subjects[0]!.shown.dues.set("run_06ft2v8xk3n9q4w7r1y5z0abcd", null),
  };
}

function remember(shown: ShownOfSchedule, { schedule, runs }: Pick<ReadSchedule, "schedule" | "runs">): void {
  for (const { runId, scheduledFor } of runs) if (!shown.dues.has(runId)) shown.dues.set(runId, scheduledFor);
  const firstOpen = runs.findIndex(({ outcome }) => outcome === null);
  for (const run of firstOpen === -1 ? runs : runs.slice(0, firstOpen))
    if (!shown.comparisons.has(run.runId)) shown.comparisons.set(run.runId, comparisonOf(run));
  shown.lost = Math.max(shown.lost, schedule.missedCount + schedule.skippedCount);
}

const comparisonOf = ({ outcome, brokenCount, mendedCount, lastGoodRunId }: ScheduledRun): string =>
  `${outcome}, ${brokenCount} broken, ${mendedCount} mended, last good ${lastGoodRunId}`;

/**
 * Returns the faults of a schedule with one test. Each due time must have one run, or be counted as lost. Each run must have one event,
 * and be compared with the last good run before it.
 */
export function faultsOfSchedule(
  shown: ShownOfSchedule,
  { firstDueMs, schedule, runs, completed, told }: ReadSchedule,
): string[] {
  const { name, nextTimes, missedCount, skippedCount, waiting, problem } = schedule;
  const found: string[] = [];
  const passed = (Date.parse(nextTimes[0]!) - firstDueMs) / MINUTE_MS;
  const lost = missedCount + skippedCount;
  if (runs.length + lost + (waiting ? 1 : 0) !== passed)
    found.push(
      `${passed} due times passed; ${runs.length} have runs, ${lost} are lost, ${waiting ? "one waits" : "none waits"}`,
    );
  if (new Set(runs.map(({ scheduledFor }) => scheduledFor)).size < runs.length) found.push("a due time has two runs");
  if (told !== lost) found.push(`${lost} due times are lost, and events tell of ${told}`);
  if (lost < shown.lost) found.push(`${lost} due times are lost, and ${shown.lost} were before`);
  if (problem !== null) found.push(`a run could not start: ${problem.message}`);

  const byId = new Map(runs.map((run) => [run.runId, run]));
  for (const [runId, due] of shown.dues)
    if (byId.get(runId)?.scheduledFor !== due) found.push(`the run ${runId} of ${due} is missing or has moved`);
  for (const [runId, comparison] of shown.comparisons) {
    const run = byId.get(runId);
    if (run !== undefined && comparisonOf(run) !== comparison)
      found.push(`the comparison of ${runId} was "${comparison}" and is "${comparisonOf(run)}"`);
  }

  let lastGood: string | null = null;
  let before: string | null = null;
  for (const run of runs) {
    const { runId, outcome } = run;
    if (outcome !== "passed" && outcome !== "failed") found.push(`the run ${runId} is ${outcome ?? "not over"}`);
    const isBroken = before === "passed" && outcome === "failed";
    const isMended = before === "failed" && outcome === "passed";
    const brokenCount = isBroken ? 1 : 0;
    const expected = comparisonOf({ ...run, brokenCount, mendedCount: isMended ? 1 : 0, lastGoodRunId: lastGood });
    if (comparisonOf(run) !== expected) found.push(`${runId} is "${comparisonOf(run)}" instead of "${expected}"`);
    const events = completed.filter((event) => event.runId === runId);
    if (events.length !== 1) found.push(`the run ${runId} has ${events.length} events of its end`);
    else if (comparisonOf(events[0]!) !== expected)
      found.push(`the event of ${runId} says "${comparisonOf(events[0]!)}" instead of "${expected}"`);
    before = outcome;
    if (outcome === "passed") lastGood = runId;
  }
  return found.map((fault) => `schedules: ${name}: ${fault}`);
}
