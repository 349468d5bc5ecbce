import { readCron, type Schedule, type SchedulePreview, SHOWN_OF_SCHEDULE } from "@svc/contract";
import { dueTimesOf, nextDueTimes } from "./due-times-rules.ts";
import { outcomeOfRun, type PlayedRun, presentRunOfSchedule } from "../scheduled-runs.ts";
import { optionOf, planOf, type ScheduleRow } from "./rules.ts";
import { wordsOf } from "./words-rules.ts";

export type ScheduleFacts = {
  nowMs: number;
  agentName: string;
  suiteName: string | null;
  createdBy: Schedule["createdBy"];
  /** Newest first. */
  lastRuns: readonly PlayedRun[];
};

const timeOf = (ms: number): string => new Date(ms).toISOString();

export function presentTimes(cron: string, timeZone: string, nowMs: number): SchedulePreview {
  const read = readCron(cron);
  return {
    words: "cron" in read ? wordsOf(read.cron) : cron,
    nextTimes: nextDueTimes(dueTimesOf(cron, timeZone), nowMs, SHOWN_OF_SCHEDULE).map(timeOf),
  };
}

export function presentSchedule(row: ScheduleRow, facts: ScheduleFacts): Schedule {
  const plan = planOf(row);
  const { words, nextTimes } = presentTimes(row.cron, row.time_zone, facts.nowMs);
  const paused = row.next_due_ms === null;
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    cron: row.cron,
    timeZone: row.time_zone,
    words,
    paused,
    nextTimes: paused ? [] : nextTimes,
    waiting: row.queued_ms !== null,
    overlap: row.overlap,
    agentId: row.agent_id,
    agentName: facts.agentName,
    connectionId: row.connection_id,
    suiteId: plan.suiteId ?? null,
    suiteName: facts.suiteName,
    tags: plan.tags ?? [],
    testIds: plan.testIds ?? [],
    personas: plan.personas ?? [],
    iterations: optionOf(plan, "iterations"),
    concurrency: optionOf(plan, "concurrency"),
    turnLimit: optionOf(plan, "turnLimit"),
    timeLimitSeconds: optionOf(plan, "timeLimitSeconds"),
    caller: plan.caller ?? null,
    maxCost: plan.maxCost ?? null,
    allowUngraded: plan.allowUngraded === true,
    require: row.required,
    missedCount: row.missed,
    skippedCount: row.skipped,
    lastMissedAt: row.last_missed_ms === null ? null : timeOf(row.last_missed_ms),
    problem: row.problem === null ? null : { message: row.problem, at: timeOf(row.problem_ms!), count: row.problems },
    lastRuns: facts.lastRuns.map((played) => presentRunOfSchedule(played, outcomeOfRun(played))),
    createdBy: facts.createdBy,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
