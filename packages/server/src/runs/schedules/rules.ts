import { type EventData, LIMITS, type operations, RUN_DEFAULTS } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { refuseStaleRevision } from "../../base/versions.ts";
import type { Schema } from "../../stores/schema.ts";
import type { RunOptions } from "../plan/freeze.ts";
import type { DueNow } from "./due-times-rules.ts";

export type ScheduleRow = Schema["schedules"];
type NewSchedule = z.output<(typeof operations.schedules.create)["body"]>;
type ScheduleEdit = z.output<(typeof operations.schedules.edit)["body"]>;

/** Plan of a schedule's runs as the schedule's row stores it. A run chooses the versions of the tests when it starts. */
export type SchedulePlan = Omit<RunOptions, "agentId" | "connectionId" | "name" | "testVersions" | "notPassedIn"> & {
  testIds?: string[] | undefined;
};

export const planOf = ({ plan }: Pick<ScheduleRow, "plan">): SchedulePlan => JSON.parse(plan);

/** The columns of a schedule that people set. The next due time is computed from them. */
export type ScheduleContent = Pick<
  ScheduleRow,
  "name" | "agent_id" | "connection_id" | "plan" | "required" | "cron" | "time_zone" | "overlap"
> & { isPaused: boolean };

/** Throws `unprocessable` for a schedule without a selection, and for tests together with a suite or tags. */
export function decideSchedule(body: NewSchedule): ScheduleContent {
  const { name, cron, timeZone, agentId, connectionId, require, overlap, paused, ...plan } = body;
  requireSelection(plan);
  return {
    name,
    agent_id: agentId,
    connection_id: connectionId,
    plan: JSON.stringify(plan),
    required: require ?? null,
    cron,
    time_zone: timeZone ?? "UTC",
    overlap,
    isPaused: paused === true,
  };
}

export function decideScheduleEdit(current: ScheduleRow, edit: ScheduleEdit): ScheduleContent {
  refuseStaleRevision("schedule", current, edit.expectedRevision);
  const {
    name,
    cron,
    timeZone,
    agentId,
    connectionId,
    require,
    overlap,
    paused,
    expectedRevision: _,
    ...changed
  } = edit;
  const selects = [changed.suiteId, changed.tags, changed.testIds].some((value) => value !== undefined);
  const { suiteId, tags, testIds, ...kept } = planOf(current);
  const given = Object.entries(changed).filter(([, value]) => value !== undefined);
  const plan = { ...(selects ? {} : { suiteId, tags, testIds }), ...kept, ...Object.fromEntries(given) };
  const cleared = Object.entries(plan).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  const next: SchedulePlan = Object.fromEntries(cleared);
  requireSelection(next);
  return {
    name: name ?? current.name,
    agent_id: agentId ?? current.agent_id,
    connection_id: connectionId ?? current.connection_id,
    plan: JSON.stringify(next),
    required: require === undefined ? current.required : require,
    cron: cron ?? current.cron,
    time_zone: timeZone ?? current.time_zone,
    overlap: overlap ?? current.overlap,
    isPaused: paused ?? current.next_due_ms === null,
  };
}

export const playsOther = (current: ScheduleRow, { agent_id, connection_id, plan }: ScheduleContent): boolean =>
  current.agent_id !== agent_id || current.connection_id !== connection_id || !sameJson(current.plan, plan);

const sameJson = (one: string, other: string) => canonical(one) === canonical(other);
const canonical = (text: string) =>
  JSON.stringify(Object.entries(JSON.parse(text)).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns whether an edit changes the due times, so that the next due time must be computed again. */
export const comesAtOtherTimes = (current: ScheduleRow, { cron, time_zone, isPaused }: ScheduleContent): boolean =>
  current.cron !== cron || current.time_zone !== time_zone || (current.next_due_ms === null) !== isPaused;

function requireSelection({ suiteId, tags, testIds }: SchedulePlan): void {
  const isGroup = suiteId !== undefined || tags !== undefined;
  if (isGroup === (testIds === undefined)) return;
  throw new AppError(
    "unprocessable",
    isGroup
      ? "Name tests without a suite and tags, or a suite or tags without tests."
      : "Nothing is selected. Name a suite, tags or tests.",
  );
}

export function refuseTooManySchedules(count: number): void {
  if (count < LIMITS.schedules) return;
  throw new AppError(
    "unprocessable",
    `A project has at most ${LIMITS.schedules} schedules. Delete one that you do not need.`,
  );
}

export function refuseWhileGoing(runId: string | undefined): void {
  if (runId === undefined) return;
  throw new AppError("conflict", `The run ${runId} of this schedule is under way. Wait for its end, or cancel it.`, {
    runId,
  });
}

export type PassedOver = { going: true } | { problem: string };

type Progress = Pick<
  ScheduleRow,
  "next_due_ms" | "queued_ms" | "missed" | "skipped" | "last_missed_ms" | "problem" | "problem_ms" | "problems"
>;

/**
 * Returns what changes in a schedule after due times. Only the last due time starts a run; the earlier due times count as missed. With the
 * overlap `queue`, a due time during a run is queued; it replaces a queued due time, which counts as skipped. Without the queue, a due time
 * during a run counts as skipped.
 */
export function progressOf(schedule: ScheduleRow, due: DueNow, passedOver: PassedOver | undefined): Progress {
  const isGoing = passedOver !== undefined && "going" in passedOver;
  const isQueued = isGoing && schedule.overlap === "queue";
  const isReplaced = schedule.queued_ms !== null && (isQueued || passedOver === undefined);
  const skipped = (isGoing && !isQueued) || isReplaced ? 1 : 0;
  const missed = due.count - 1;
  const problem = passedOver !== undefined && "problem" in passedOver ? passedOver.problem : undefined;
  return {
    next_due_ms: due.nextMs,
    queued_ms: isQueued ? due.lastMs : passedOver === undefined ? null : schedule.queued_ms,
    missed: schedule.missed + missed,
    skipped: schedule.skipped + skipped,
    last_missed_ms: missed + skipped > 0 ? due.lastMs : schedule.last_missed_ms,
    ...problemOf(schedule, problem, due.lastMs, passedOver === undefined),
  };
}

export const progressOfQueued = (schedule: ScheduleRow, problem: string | undefined): Progress => ({
  ...schedule,
  queued_ms: null,
  ...problemOf(schedule, problem, schedule.queued_ms!, problem === undefined),
});

export function lostTimesOf(
  { id, name, cron, time_zone, missed, skipped }: ScheduleRow,
  after: Progress,
  problem: string | undefined,
): EventData["schedule.missed"] | undefined {
  const lost = { missed: after.missed - missed, skipped: after.skipped - skipped };
  if (lost.missed + lost.skipped === 0 && problem === undefined) return undefined;
  return { schedule: { id, name, cron, timeZone: time_zone }, ...lost, problem: problem ?? null };
}

function problemOf(
  { problem, problem_ms, problems }: ScheduleRow,
  found: string | undefined,
  atMs: number,
  hasStarted: boolean,
): Pick<ScheduleRow, "problem" | "problem_ms" | "problems"> {
  if (found !== undefined) return { problem: found, problem_ms: atMs, problems: problems + 1 };
  return hasStarted ? { problem: null, problem_ms: null, problems: 0 } : { problem, problem_ms, problems };
}

export const optionOf = (plan: SchedulePlan, name: keyof typeof RUN_DEFAULTS): number =>
  plan[name] ?? RUN_DEFAULTS[name];
