import { every } from "../../base/async/every.ts";
import type { Log } from "../../base/log/log.ts";
import type { ClockWitness, WitnessStore } from "../store/clock-witness-row.ts";
import { DAY_MS, dayOf } from "../store/day.ts";

const DROP_EVERY_MS = 60 * 60 * 1000;

export type RetainingProject = { id: string; number: number };

export type ProjectRetention = { project: RetainingProject; days: number };

/** A retention whose `project` is null applies to all projects. */
export type Retention = { project: RetainingProject | null; days: number };

type RetentionWork = {
  /** What is erased, as a noun for the log. */
  what: string;
  /** Whether to log that erasing waits because the system clock has leapt. */
  tellsHolds: boolean;
  witness: WitnessStore;
  listRetentions: () => Promise<Retention[]>;
  /**
   * Erases what was received before `day`, in `project`, or in all projects when `project` is null. Returns the number of erased days or
   * records.
   */
  eraseBefore: (day: number, project: RetainingProject | null) => Promise<number>;
  log: Log;
  signal: AbortSignal;
};

/**
 * Returns the retentions that apply: the retention of the service, for every project, and the retentions of projects that are
 * shorter. A project cannot store its conversations longer than the retention of the service allows.
 */
export function retentionsOf(serviceDays: number | undefined, ofProjects: readonly ProjectRetention[]): Retention[] {
  if (serviceDays === undefined) return [...ofProjects];
  return [{ project: null, days: serviceDays }, ...ofProjects.filter(({ days }) => days < serviceDays)];
}

/**
 * Erases everything older than the retentions, now and every hour. After a leap of the system clock, waits until the service has
 * run for a day. The clock is observed only while there is a retention, so the first retention of a service also waits for a day.
 */
export function startRetention({
  what,
  tellsHolds,
  witness,
  listRetentions,
  eraseBefore,
  log,
  signal,
}: RetentionWork): void {
  let checkedAt = performance.now();

  async function dropOldDays(): Promise<void> {
    const retentions = await listRetentions();
    if (retentions.length === 0) return;
    const [nowMs, at] = [Date.now(), performance.now()];
    const before = await witness.read();
    const now = observeClock(before, nowMs, at - checkedAt);
    checkedAt = at;
    await witness.write(now);
    if (now.holdMs > 0) {
      if (!tellsHolds) return;
      log.warn(
        {
          holdHours: Math.ceil(now.holdMs / DROP_EVERY_MS),
          ...(before && { lastSeen: new Date(before.seenMs).toISOString() }),
        },
        `old ${what} are kept for now, because the clock has leapt or its last time is unknown; check the clock`,
      );
      return;
    }
    for (const { project, days: retentionDays } of retentions) {
      const dropped = await eraseBefore(dayOf(nowMs) - retentionDays, project);
      const fields = { dropped, retentionDays, ...(project && { project_id: project.id }) };
      if (dropped > 0) log.info(fields, `erased the ${what} before the retention`);
    }
  }

  every(DROP_EVERY_MS, dropOldDays, signal, (error) => {
    if (!signal.aborted) log.error({ err: error }, `erasing old ${what} failed`);
  });
}

/**
 * Returns the next observation of the system clock, after `elapsedMs` of running time; `witness` is the last observation. If the
 * clock advanced by over a day more than `elapsedMs`, it has leapt: someone set the clock, or the service did not run. `holdMs`
 * says for how long nothing is erased while the service runs: for a day after a leap, so that people can correct a wrong clock, and
 * for a day if there is no earlier observation.
 */
export function observeClock(witness: ClockWitness | undefined, nowMs: number, elapsedMs: number): ClockWitness {
  if (witness === undefined) return { seenMs: nowMs, holdMs: DAY_MS };
  const hasLeapt = nowMs - witness.seenMs - elapsedMs > DAY_MS;
  // Another process with the same database may have observed the clock after this process did.
  const unseenMs = Math.min(elapsedMs, Math.max(0, nowMs - witness.seenMs));
  return { seenMs: nowMs, holdMs: hasLeapt ? DAY_MS : Math.max(0, witness.holdMs - unseenMs) };
}
