import type { Log } from "../../log.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";

const SIMULATIONS_AT_ONCE = 64;
const GRADINGS_AT_ONCE = 8;
const LOOK_AGAIN_MS = 1_000;
const GRADE_AGAIN_MS = 5_000;

export type Scheduler = ReturnType<typeof openScheduler>;

type Work = {
  store: RunStore;
  log: Log;
  /** Plays a claimed simulation to its end and keeps the ending. Must not throw for what an agent does. */
  simulate: (simulation: SimulationRow, run: RunRow, signal: AbortSignal) => Promise<void>;
  grade: (simulationId: string, signal: AbortSignal) => Promise<void>;
};

/**
 * Plays queued simulations, so many at once for each run and in all, oldest runs first and each its share. One process owns
 * the data folder, so what stands as under way and is not played here is nobody's, and is put back.
 */
export function openScheduler({ store, log, simulate, grade }: Work) {
  const playing = new Map<string, { runId: string; stop: AbortController; done: Promise<void> }>();
  const grading = new Map<string, Promise<void>>();
  const toGrade = new Set<string>();
  const stopping = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  let isStarted = false;
  let mayBeStranded = true;
  let wanted = false;
  let looking = Promise.resolve();

  /** One look at a time; a look that is asked for meanwhile follows. */
  function look(): void {
    if (!isStarted || wanted || stopping.signal.aborted) return;
    wanted = true;
    looking = lookAfter(looking);
  }

  async function lookAfter(before: Promise<void>): Promise<void> {
    await before;
    wanted = false;
    await takeUp()
      .then(claimAll)
      .catch((error: unknown) => log.error({ err: error }, "the scheduler could not claim simulations"));
    gradeNext();
  }

  /** What an earlier process left, or what could not be kept in this one. */
  async function takeUp(): Promise<void> {
    if (!mayBeStranded) return;
    mayBeStranded = false;
    try {
      await store.putBack([...playing.keys()]);
      for (const id of await store.owed()) toGrade.add(id);
    } catch (error) {
      mayBeStranded = true;
      throw error;
    }
  }

  async function claimAll(): Promise<void> {
    const free = () => SIMULATIONS_AT_ONCE - playing.size;
    if (free() <= 0) return;
    const runs = await store.openRuns();
    for (let claimed = true; claimed && free() > 0;) {
      claimed = false;
      for (const run of runs) {
        const own = [...playing.values()].filter(({ runId }) => runId === run.id).length;
        const share = Math.min(run.concurrency - own, free(), Math.max(1, Math.ceil(free() / runs.length)));
        if (share <= 0 || stopping.signal.aborted) continue;
        const simulations = await store.claim(run, share);
        if (simulations.length > 0) run.status = "running";
        claimed ||= simulations.length > 0;
        for (const simulation of simulations) play(simulation, run);
      }
    }
  }

  function play(simulation: SimulationRow, run: RunRow): void {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, stopping.signal]);
    const done = simulate(simulation, run, signal)
      .catch((error: unknown) => {
        mayBeStranded = true;
        log.error({ err: error, simulation: simulation.id }, "a simulation could not be kept and is played again");
      })
      .finally(() => {
        playing.delete(simulation.id);
        look();
      });
    playing.set(simulation.id, { runId: run.id, stop, done });
  }

  function gradeNext(): void {
    for (const id of toGrade) {
      if (grading.size >= GRADINGS_AT_ONCE || stopping.signal.aborted) return;
      if (grading.has(id)) continue;
      toGrade.delete(id);
      const done = grade(id, stopping.signal)
        .catch((error: unknown) => {
          log.error({ err: error, simulation: id }, "a simulation could not be graded and is graded again later");
          later(() => toGrade.add(id));
        })
        .finally(() => {
          grading.delete(id);
          gradeNext();
        });
      grading.set(id, done);
    }
  }

  function later(what: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      what();
      gradeNext();
    }, GRADE_AGAIN_MS).unref();
    timers.add(timer);
  }

  return {
    /** From now on it plays, and goes on with what an earlier process left. */
    start(): void {
      if (isStarted) return;
      isStarted = true;
      timers.add(setInterval(look, LOOK_AGAIN_MS).unref());
      look();
    },

    /** There is something new to play. */
    look,

    grade(simulationId: string): void {
      toGrade.add(simulationId);
      gradeNext();
    },

    /** Ends a run's conversations that are under way. */
    stopRun(runId: string): void {
      for (const one of playing.values()) if (one.runId === runId) one.stop.abort();
    },

    /** What is under way is left as it is; the next start puts it back. */
    stop: (): void => stopping.abort(),

    async close(): Promise<void> {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      await looking;
      await Promise.all([...[...playing.values()].map(({ done }) => done), ...grading.values()]);
    },
  };
}
