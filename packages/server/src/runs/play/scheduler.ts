import { setTimeout as delay } from "node:timers/promises";
import { every, type RepeatedWork } from "../../base/async/every.ts";
import type { Log } from "../../base/log/log.ts";
import type { GradeSimulation } from "../after/grade-simulation.ts";
import { type RunRow, type SimulationRow, snapshotOf } from "../rules.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import { type AccountTurns, soleAccountOf } from "../lines/account-turns.ts";
import { type PhoneCalls, trunkIdOf } from "../lines/place-call.ts";
import type { RunStore } from "../store/runs.ts";
import type { Simulate } from "./simulate.ts";

const SIMULATIONS_AT_ONCE = 64;
const GRADINGS_AT_ONCE = 8;
const LOOK_EVERY_MS = 1_000;
const GRADE_AGAIN_MS = 5_000;
const RENEWALS = 3;

/**
 * Plays queued simulations and grades ended simulations. Limits the number of simulations at once, for each run and in total.
 * Serves older runs first, but gives every run a share.
 */
export type Scheduler = {
  /** Starts to play, and continues the simulations and gradings that an earlier process did not finish. */
  start: () => void;
  /** Searches for queued simulations now instead of at the next interval. */
  look: () => void;
  /** Queues an ended simulation to be graded. At most `GRADINGS_AT_ONCE` simulations are graded at a time. */
  grade: (simulationId: string) => void;
  /** Interrupts the run's conversations in this process. */
  stopRun: (runId: string) => void;
  underWay: () => { texts: number; calls: number; gradings: number };
  /** Interrupts all conversations and gradings, which are repeated after the next start. */
  stop: () => void;
  /** Interrupts all conversations and gradings, and resolves when they have ended. */
  close: () => Promise<void>;
};

type Needs = {
  store: RunStore;
  log: Log;
  simulate: Simulate;
  gradeSimulation: GradeSimulation;
  tellCanceled: (runId: string) => void;
  phoneCalls: Pick<PhoneCalls, "roomFor" | "forget">;
  accountTurns: Pick<AccountTurns, "roomFor">;
  /** Largest number of calls with sound at once. Each call uses a part of a CPU core. */
  callsAtOnce: number;
  /** Undefined when no other process plays simulations. */
  leaseMs: number | undefined;
};

type Playing = {
  id: string;
  attempt: number;
  runId: string;
  isCall: boolean;
  /** Trunk that carries the call, or account at which it is awaited. */
  sharedLine: string | undefined;
  stop: AbortController;
  done: Promise<void>;
};

export function openScheduler({
  store,
  log,
  simulate,
  gradeSimulation,
  tellCanceled,
  phoneCalls,
  accountTurns,
  callsAtOnce,
  leaseMs,
}: Needs): Scheduler {
  const playing = new Set<Playing>();
  const grading = new Map<string, Promise<void>>();
  const toGrade = new Set<string>();
  const stopping = new AbortController();
  let mayBeStranded = true;
  let couldRenew = true;
  let looking: RepeatedWork | undefined;
  let renewing: RepeatedWork | undefined;

  const look = () => looking?.now();

  async function lookOnce(): Promise<void> {
    try {
      if (mayBeStranded) await takeUpStranded();
      await claimAll();
    } finally {
      gradeNext();
    }
  }

  /** Requeues the simulations that no process plays any more, and queues the ended simulations that no process grades. */
  async function takeUpStranded(): Promise<void> {
    mayBeStranded = false;
    try {
      await store.requeueLapsed([...playing].map(({ id }) => id));
      for (const id of await store.leaseUngraded()) toGrade.add(id);
    } catch (error) {
      mayBeStranded = true;
      throw error;
    }
  }

  /**
   * Returns the simulations that this process has leased. They include the simulations that `stop` interrupted, because their leases last
   * until `close`.
   */
  const held = () => ({
    played: [...playing],
    gradedIds: [...toGrade, ...grading.keys()],
  });

  /**
   * Renews the leases, and interrupts the conversations whose lease was lost or whose run was canceled. Then searches for the simulations
   * of ended processes. It skips this search directly after an outage of the database, because other processes must renew their leases
   * first.
   */
  async function renew(): Promise<void> {
    const hadRenewed = couldRenew;
    couldRenew = false;
    const renewed = held();
    const stillHeld = await store.renew(renewed);
    couldRenew = true;
    for (const { id, stop } of renewed.played) if (!stillHeld.has(id)) stop.abort();
    if (!hadRenewed) return;
    mayBeStranded = true;
    look();
  }

  const playedCalls = () => [...playing].filter(({ isCall }) => isCall).length;

  async function claimAll(): Promise<void> {
    const free = () => SIMULATIONS_AT_ONCE - playing.size;
    const freeCalls = () => callsAtOnce - playedCalls();
    if (free() <= 0) return;
    const runs = await store.listOpenRuns();
    for (let claimed = true; claimed && free() > 0;) {
      claimed = false;
      for (const run of runs) {
        const own = [...playing].filter(({ runId }) => runId === run.id).length;
        const room = isCall(run) ? Math.min(free(), freeCalls()) : free();
        const share = Math.min(run.concurrency - own, room, Math.max(1, Math.ceil(room / runs.length)));
        if (share <= 0 || stopping.signal.aborted) continue;
        const startedIds = startedOver(sharedLineOf(run));
        const rooms = [await phoneCalls.roomFor(run, startedIds), await accountTurns.roomFor(run, startedIds)];
        const permitted = Math.min(share, ...rooms);
        if (permitted <= 0) continue;
        const simulations = await store.claim(run, permitted);
        if (simulations.length > 0) run.status = "running";
        claimed ||= simulations.length > 0;
        for (const simulation of simulations) play(simulation, run);
      }
    }
  }

  const startedOver = (line: string | undefined): string[] =>
    [...playing].filter(({ sharedLine }) => sharedLine !== undefined && sharedLine === line).map(({ id }) => id);

  function play(simulation: SimulationRow, run: RunRow): void {
    const stop = new AbortController();
    const { id, attempt } = simulation;
    const one: Playing = {
      id,
      attempt,
      runId: run.id,
      isCall: isCall(run),
      sharedLine: sharedLineOf(run),
      stop,
      done: Promise.resolve(),
    };
    playing.add(one);
    one.done = playToEnd(simulation, run, AbortSignal.any([stop.signal, stopping.signal])).finally(() => {
      phoneCalls.forget(id);
      if (stopping.signal.aborted) return;
      playing.delete(one);
      look();
    });
  }

  async function playToEnd(simulation: SimulationRow, run: RunRow, signal: AbortSignal): Promise<void> {
    try {
      const { isEnded, isRunCanceled } = await simulate(simulation, run, signal);
      if (isEnded) grade(simulation.id);
      if (isRunCanceled) tellCanceled(run.id);
    } catch (error) {
      mayBeStranded = true;
      log.error({ err: error, simulation: simulation.id }, "a simulation could not be stored and is played again");
    }
  }

  function grade(simulationId: string): void {
    toGrade.add(simulationId);
    gradeNext();
  }

  function gradeNext(): void {
    for (const id of toGrade) {
      if (grading.size >= GRADINGS_AT_ONCE || stopping.signal.aborted) return;
      if (grading.has(id)) continue;
      toGrade.delete(id);
      grading.set(id, gradeToEnd(id));
    }
  }

  async function gradeToEnd(id: string): Promise<void> {
    try {
      await gradeSimulation(id, stopping.signal);
    } catch (error) {
      log.error({ err: error, simulation: id }, "a simulation could not be graded and is graded again later");
      void gradeLater(id);
    } finally {
      grading.delete(id);
      if (stopping.signal.aborted) toGrade.add(id);
      gradeNext();
    }
  }

  async function gradeLater(id: string): Promise<void> {
    await delay(GRADE_AGAIN_MS, undefined, { ref: false, signal: stopping.signal }).catch(() => {});
    grade(id);
  }

  const logUnreleased = (error: unknown) =>
    log.warn({ err: error }, "the leases on simulations could not be released; they lapse by themselves");

  function stopRun(runId: string): void {
    for (const one of playing) if (one.runId === runId) one.stop.abort();
  }

  return {
    start() {
      looking ??= every(LOOK_EVERY_MS, lookOnce, stopping.signal, (error) =>
        log.error({ err: error }, "the scheduler could not claim simulations"),
      );
      if (leaseMs !== undefined)
        renewing ??= every(leaseMs / RENEWALS, renew, stopping.signal, (error) =>
          log.error({ err: error }, "the leases on simulations could not be renewed"),
        );
    },
    look,
    grade,
    stopRun,
    underWay() {
      const calls = playedCalls();
      return { texts: playing.size - calls, calls, gradings: grading.size };
    },
    stop: () => stopping.abort(),
    async close() {
      stopping.abort();
      await Promise.all([looking?.idle(), renewing?.idle()]);
      await Promise.all([...[...playing].map(({ done }) => done), ...grading.values()]);
      if (leaseMs !== undefined) await store.release(held()).catch(logUnreleased);
    },
  };
}

const isCall = (run: RunRow): boolean => lineTypeOf(snapshotOf(run).connectionType).carriesSound;

const sharedLineOf = (run: RunRow): string | undefined => trunkIdOf(run) ?? soleAccountOf(snapshotOf(run));
