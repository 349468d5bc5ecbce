import type { Log } from "../log.ts";
import type { RunRow, SimulationRow } from "./rules.ts";
import type { RunStore } from "./store/runs.ts";

const SIMULATIONS_AT_ONCE = 64;
const GRADINGS_AT_ONCE = 8;
const LOOK_AGAIN_MS = 1_000;

export type Scheduler = ReturnType<typeof startScheduler>;

export type Work = {
  store: RunStore;
  log: Log;
  /** Plays a claimed simulation to its end and keeps the ending. Must not throw for what an agent does. */
  simulate: (simulation: SimulationRow, run: RunRow, signal: AbortSignal) => Promise<void>;
  grade: (simulationId: string, signal: AbortSignal) => Promise<void>;
};

/**
 * Plays queued simulations, so many at once for each run and in all, oldest runs first and each its share. One process owns
 * the data folder, so what an earlier one was playing is put back at the start.
 */
export function startScheduler({ store, log, simulate, grade }: Work) {
  const playing = new Map<string, { runId: string; stop: AbortController; done: Promise<void> }>();
  const grading = new Map<string, Promise<void>>();
  const toGrade: string[] = [];
  const stopping = new AbortController();
  let wanted = false;
  let looking = Promise.resolve();
  const timer = setInterval(look, LOOK_AGAIN_MS).unref();

  const started = recover();

  async function recover(): Promise<void> {
    await store.putBack();
    toGrade.push(...(await store.owed()));
    look();
  }

  /** One look at a time; a look that is asked for meanwhile follows. */
  function look(): void {
    if (wanted || stopping.signal.aborted) return;
    wanted = true;
    looking = lookAfter(looking);
  }

  async function lookAfter(before: Promise<void>): Promise<void> {
    await before;
    wanted = false;
    await claimAll().catch((error: unknown) => log.error({ err: error }, "the scheduler could not claim simulations"));
    gradeNext();
  }

  async function claimAll(): Promise<void> {
    await started;
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
        for (const simulation of simulations) start(simulation, run);
      }
    }
  }

  function start(simulation: SimulationRow, run: RunRow): void {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, stopping.signal]);
    const done = simulate(simulation, run, signal)
      .catch((error: unknown) => log.error({ err: error, simulation: simulation.id }, "a simulation could not be kept"))
      .finally(() => {
        playing.delete(simulation.id);
        look();
      });
    playing.set(simulation.id, { runId: run.id, stop, done });
  }

  function gradeNext(): void {
    while (grading.size < GRADINGS_AT_ONCE && toGrade.length > 0 && !stopping.signal.aborted) {
      const id = toGrade.shift()!;
      const done = grade(id, stopping.signal)
        .catch((error: unknown) => log.error({ err: error, simulation: id }, "a simulation could not be graded"))
        .finally(() => {
          grading.delete(id);
          gradeNext();
        });
      grading.set(id, done);
    }
  }

  return {
    /** There is something new to play. */
    look,

    grade(simulationId: string): void {
      toGrade.push(simulationId);
      gradeNext();
    },

    /** Ends a run's conversations that are under way. */
    stopRun(runId: string): void {
      for (const one of playing.values()) if (one.runId === runId) one.stop.abort();
    },

    /** What is under way is left as it is; the next start puts it back. */
    async close(): Promise<void> {
      clearInterval(timer);
      stopping.abort();
      await started.catch(() => {});
      await looking;
      await Promise.all([...[...playing.values()].map(({ done }) => done), ...grading.values()]);
    },
  };
}
