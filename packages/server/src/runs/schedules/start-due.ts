import { every, type RepeatedWork } from "../../base/async/every.ts";
import { inSlices } from "../../base/async/in-slices.ts";
import { AppError } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import type { FrozenRun, ScheduleOfRun } from "../plan/freeze.ts";
import type { Scheduler } from "../play/scheduler.ts";
import type { RunStore } from "../store/runs.ts";
import { countDue, dueTimesOf } from "./due-times-rules.ts";
import type { FreezeScheduled } from "./freeze-scheduled.ts";
import type { ScheduleRow } from "./rules.ts";
import type { Coming, ScheduleStore } from "./store.ts";

const SCHEDULES_AT_ONCE = 500;
const AGAIN_AFTER_FAULT_MS = 30_000;
const FAULT =
  "The service could not start the run because of an error of its own. It tries again every 30 seconds; its log has the cause.";

type Needs = {
  store: ScheduleStore;
  runs: Pick<RunStore, "createAlso">;
  freeze: FreezeScheduled;
  scheduler: Pick<Scheduler, "look">;
  now: () => number;
  lookEveryMs: number;
  log: Log;
  signal: AbortSignal;
};

/**
 * Starts the runs of due schedules, now and repeatedly until the signal aborts. Writes a run and the next due time of its
 * schedule in one transaction. Therefore a due time starts at most one run across all processes, even after a kill.
 */
export function startDueRuns({ store, runs, freeze, scheduler, now, lookEveryMs, log, signal }: Needs): RepeatedWork {
  /** Times of the next attempt, from `performance.now()`, by the id of a schedule whose run failed with an error of the service. */
  const again = new Map<string, number>();

  async function look(): Promise<void> {
    const nowMs = now();
    for (const schedule of await store.listComing(nowMs, SCHEDULES_AT_ONCE)) {
      if (signal.aborted) return;
      if ((again.get(schedule.id) ?? 0) > performance.now()) continue;
      await start(schedule, nowMs);
    }
  }

  async function start(schedule: ScheduleRow, nowMs: number): Promise<void> {
    const coming: Coming = { schedule, due: undefined };
    try {
      const { next_due_ms, cron, time_zone } = schedule;
      if (next_due_ms !== null && next_due_ms <= nowMs)
        coming.due = await inSlices(countDue(dueTimesOf(cron, time_zone), next_due_ms, nowMs));
      await startOne(coming);
      again.delete(schedule.id);
    } catch (error) {
      again.set(schedule.id, performance.now() + AGAIN_AFTER_FAULT_MS);
      log.error({ err: error, schedule: schedule.id }, "the run of a schedule could not be started and is tried again");
      await store.showProblem(coming, FAULT).catch(() => {});
    }
  }

  async function startOne(coming: Coming): Promise<void> {
    const { schedule, due } = coming;
    if (due !== undefined && (await store.isGoing(schedule.id))) return store.passOver(coming, { going: true });
    const { id, required } = schedule;
    try {
      const frozen = await freeze(schedule);
      const ofSchedule = { id, required, dueMs: due?.lastMs ?? schedule.queued_ms };
      const run = await runs.createAlso(newRun(frozen, ofSchedule), (tx) => store.takeUp(tx, coming));
      if (run !== undefined) scheduler.look();
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      await store.passOver(coming, { problem: error.message });
    }
  }

  return every(lookEveryMs, look, signal, (error) =>
    log.error({ err: error }, "the schedules that are due could not be read"),
  );
}

const newRun = (frozen: FrozenRun, schedule: ScheduleOfRun) => ({ ...frozen.rows(null, schedule), request: undefined });
