import { excerpt } from "../grading/bounds.ts";
import type { Log } from "../log.ts";
import type { Caller } from "./caller/caller.ts";
import { type AgentLine, LineFailure } from "./connections/connection.ts";
import type { NewEvent } from "./store/events.ts";
import { type Played, play } from "./play.ts";
import { neverAnswered, type RunRow, type SimulationRow, statusOf } from "./rules.ts";
import { traceIdOf } from "./spans.ts";
import type { Transcript } from "./transcript.ts";
import type { RunStore } from "./store/runs.ts";

const TURNS_KEPT_MS = 100;
const EVENT_TEXT_CHARACTERS = 2_000;
/** So many simulations in a row that never get an answer stop the run instead of burning the matrix. */
const UNANSWERED_MAX = 3;

/** Makes the caller and the line to the agent; a `LineFailure` says why it cannot. */
export type Prepare = (
  simulation: SimulationRow,
  run: RunRow,
  signal: AbortSignal,
) => Promise<{ caller: Caller; line: AgentLine; mockedTools: string[] }>;

type Simulating = {
  store: RunStore;
  log: Log;
  prepare: Prepare;
  /** Told of each conversation that ended and was kept. */
  ended: (simulationId: string) => void;
  stopRun: (runId: string) => void;
};

/** Plays simulations and keeps each ending exactly once. */
export function openSimulate({ store, log, prepare, ended, stopRun }: Simulating) {
  return async (simulation: SimulationRow, run: RunRow, signal: AbortSignal): Promise<void> => {
    if (!(await store.begin(simulation))) return;
    const pending: NewEvent[] = [];
    const keep = () => store.record(simulation, pending.splice(0));
    const timer = setInterval(() => pending.length > 0 && void keep().catch(faulted), TURNS_KEPT_MS);
    const faulted = (error: unknown) =>
      log.error({ err: error, simulation: simulation.id }, "a simulation's events could not be kept");

    const { played, mockedTools } = await playIt();
    clearInterval(timer);
    // Stopped with the service: the next start plays it again.
    if (played.reason === "canceled") return;
    const transcript: Transcript = {
      turns: played.turns,
      toolUses: played.toolUses,
      startedMs: played.startedMs,
      endedMs: played.endedMs,
      mockedTools,
    };
    const kept = await store.finish(
      simulation,
      {
        status: statusOf(played.reason),
        endingReason: played.reason,
        message: played.note,
        transcript: JSON.stringify(transcript),
        turnCount: played.turns.length,
        traceId: traceIdOf(simulation.id, simulation.attempt),
      },
      pending.splice(0),
    );
    if (!kept) return;
    ended(simulation.id);
    await stopWhenNobodyAnswers(run, played);

    async function playIt(): Promise<{ played: Played; mockedTools: string[] }> {
      const startedMs = Date.now();
      try {
        const { caller, line, mockedTools: names } = await prepare(simulation, run, signal);
        const played = await play({
          caller,
          line,
          turnLimit: run.turn_limit,
          timeLimitMs: run.time_limit_seconds * 1000,
          signal,
          onTurn: ({ role, text: said }, index) => {
            const text = excerpt(said, EVENT_TEXT_CHARACTERS);
            pending.push({ kind: "turn", simulationId: simulation.id, attempt: simulation.attempt, index, role, text });
          },
          onFault: (error) => log.error({ err: error, simulation: simulation.id }, "a simulation failed on our side"),
        });
        return { played, mockedTools: names };
      } catch (error) {
        if (!(error instanceof LineFailure))
          log.error({ err: error, simulation: simulation.id }, "a simulation could not be prepared");
        const [reason, note] =
          error instanceof LineFailure
            ? [error.reason, error.message]
            : (["simulator_error", "The simulation could not be prepared; the log says why."] as const);
        const nothing = { turns: [], toolUses: [], startedMs, endedMs: Date.now() };
        return { played: { ...nothing, reason, note }, mockedTools: [] };
      }
    }
  };

  async function stopWhenNobodyAnswers(run: RunRow, { reason }: Played): Promise<void> {
    if (!neverAnswered(reason)) return;
    const endings = await store.lastEndings(run.id, UNANSWERED_MAX);
    if (endings.length < UNANSWERED_MAX || !endings.every(neverAnswered)) return;
    await store.cancel(run.id, "agent_unreachable");
    stopRun(run.id);
  }
}
