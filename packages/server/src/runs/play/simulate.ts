import type { EndingReason } from "@svc/contract";
import { every } from "../../base/async/every.ts";
import type { Counts } from "../../base/counts.ts";
import { excerpt } from "../../grading/bounds.ts";
import type { Log } from "../../base/log/log.ts";
import { traceIdOf } from "../after/spans.ts";
import { LineFailure } from "../lines/line.ts";
import { neverAnswered, type RunRow, type SimulationRow, statusOf } from "../rules.ts";
import { inSpan } from "../../base/own-spans.ts";
import type { NewEvent } from "../store/events.ts";
import { rm } from "node:fs/promises";
import type { Recordings } from "../../voice/recordings/open.ts";
import type { RunStore } from "../store/runs.ts";
import { type PlayedConversation, play } from "./play.ts";
import type { PrepareSimulation } from "./prepare.ts";
import type { Transcript } from "./transcript.ts";

const RECORD_EVERY_MS = 100;
const EVENT_TEXT_CHARACTERS = 2_000;
/** Number of simulations in a row without an answer that stop the run. The other simulations would probably fail too. */
const UNANSWERED_MAX = 3;

type SimulationOutcome = {
  /** Whether the ending of this attempt was stored. If not, the simulation was canceled, or another attempt plays the simulation. */
  isEnded: boolean;
  isRunCanceled: boolean;
};

/** Numbers of played simulations by ending. An attempt that is repeated counts as `played_again`. */
export type PlayedCounts = Counts<EndingReason | "played_again">;

export type Simulate = (simulation: SimulationRow, run: RunRow, signal: AbortSignal) => Promise<SimulationOutcome>;

type Needs = {
  store: RunStore;
  log: Log;
  prepare: PrepareSimulation;
  recordings: Pick<Recordings, "keep">;
  counts: PlayedCounts;
};

/** Number of repetitions after disturbed attempts. When the next attempt is also disturbed, the simulation ends as errored. */
const STALLED_ATTEMPTS_MAX = 3;
/** Number of repetitions of a call whose only fault is unreliable times. After these repetitions, the call counts without its times. */
const UNRELIABLE_ATTEMPTS_MAX = 2;

const spanAttributes = ({ id, run_id, attempt }: SimulationRow) => ({
  "svc.simulation_id": id,
  "svc.run_id": run_id,
  "svc.simulation_attempt": attempt,
});

const NOT_ENDED: SimulationOutcome = { isEnded: false, isRunCanceled: false };

export function createSimulate({ store, log, prepare, recordings, counts }: Needs): Simulate {
  return async (simulation, run, signal) => {
    if (!(await store.begin(simulation))) return NOT_ENDED;
    const pending: NewEvent[] = [];
    const { played, mockedTools } = await withRecording(simulation, pending, () =>
      inSpan("play", { attributes: spanAttributes(simulation) }, () =>
        playConversation(simulation, run, signal, pending),
      ),
    );
    const stall = stalled(played, simulation);
    if (played.call && (played.reason === "canceled" || stall?.isPlayedAgain))
      await rm(played.call.recordingFile, { force: true });
    if (played.reason === "canceled") return NOT_ENDED;
    if (stall?.isPlayedAgain) {
      await store.playAgain(simulation, stall.note, pending.splice(0));
      counts.add("played_again");
      return NOT_ENDED;
    }
    const { turns, toolUses, startedMs, endedMs, call } = played;
    const { reason, note } = stall ?? { ...played, note: withDoubt(played) };
    const transcript: Transcript = {
      turns,
      toolUses,
      startedMs,
      endedMs,
      mockedTools,
      ...(call?.summary && { call: call.summary }),
      ...(call?.line && { line: call.line }),
    };
    if (call && !(await store.isHeld(simulation))) {
      await rm(call.recordingFile, { force: true });
      return NOT_ENDED;
    }
    if (call)
      await recordings.keep({
        simulationId: simulation.id,
        projectId: simulation.project_id,
        file: call.recordingFile,
        startedAtMs: call.startedAtMs ?? undefined,
        writeError: call.recordingError,
      });
    const isEnded = await store.finish(
      simulation,
      {
        status: statusOf(reason),
        endingReason: reason,
        message: note,
        transcript: JSON.stringify(transcript),
        turnCount: turns.length,
        traceId: traceIdOf(simulation.id, simulation.attempt),
      },
      pending.splice(0),
    );
    if (isEnded) counts.add(reason);
    return { isEnded, isRunCanceled: isEnded && (await cancelUnreachable(run, reason)) };
  };

  /** Stores the pending events periodically until `playing` resolves or rejects. */
  async function withRecording<T>(
    simulation: SimulationRow,
    pending: NewEvent[],
    playing: () => Promise<T>,
  ): Promise<T> {
    const end = new AbortController();
    const recording = every(
      RECORD_EVERY_MS,
      async () => {
        if (pending.length > 0) await store.recordEvents(simulation, pending.splice(0));
      },
      end.signal,
      (error) => log.error({ err: error, simulation: simulation.id }, "a simulation's events could not be stored"),
    );
    try {
      return await playing();
    } finally {
      end.abort();
      await recording.idle();
    }
  }

  async function playConversation(
    simulation: SimulationRow,
    run: RunRow,
    signal: AbortSignal,
    pending: NewEvent[],
  ): Promise<{ played: PlayedConversation; mockedTools: string[] }> {
    const startedMs = Date.now();
    try {
      const { caller, line, mockedTools } = await prepare(simulation, run, signal);
      const played = await play({
        caller,
        line,
        turnLimit: run.turn_limit,
        timeLimitMs: run.time_limit_seconds * 1000,
        signal,
        onTurn: ({ role, text: said }, index) => {
          const text = said === null ? null : excerpt(said, EVENT_TEXT_CHARACTERS);
          pending.push({ kind: "turn", simulationId: simulation.id, attempt: simulation.attempt, index, role, text });
        },
        onFault: (error) => log.error({ err: error, simulation: simulation.id }, "the simulator failed"),
      });
      return { played, mockedTools };
    } catch (error) {
      const unplayed = { turns: [], toolUses: [], startedMs, endedMs: Date.now(), stall: null, call: null };
      if (signal.aborted) return { played: { ...unplayed, reason: "canceled", note: null }, mockedTools: [] };
      if (error instanceof LineFailure)
        return { played: { ...unplayed, reason: error.reason, note: error.message }, mockedTools: [] };
      log.error({ err: error, simulation: simulation.id }, "a simulation could not be prepared");
      const note = "The simulation could not be prepared; the service's log says why.";
      return { played: { ...unplayed, reason: "simulator_error", note }, mockedTools: [] };
    }
  }

  async function cancelUnreachable(run: RunRow, reason: EndingReason): Promise<boolean> {
    if (!neverAnswered(reason)) return false;
    const endings = await store.listLastEndings(run.id, UNANSWERED_MAX);
    if (endings.length < UNANSWERED_MAX || !endings.every(neverAnswered)) return false;
    await store.cancel(run.id, "agent_unreachable");
    return true;
  }
}

function withDoubt({ note, stall }: PlayedConversation): string | null {
  if (stall === null) return note;
  return [note, stall.note, "No verdict depends on them."].filter(Boolean).join(" ");
}

/**
 * Decides what happens to a simulation after a stall: it is played again, or it ends with a reason. Returns undefined when no
 * stall occurred or when the attempt counts in spite of it.
 */
function stalled(
  { stall }: PlayedConversation,
  { stalled_attempts }: SimulationRow,
): { isPlayedAgain: boolean; reason: EndingReason; note: string } | undefined {
  if (stall === null) return undefined;
  const { note, endsAs } = stall;
  if (stalled_attempts < (endsAs === null ? UNRELIABLE_ATTEMPTS_MAX : STALLED_ATTEMPTS_MAX))
    return { isPlayedAgain: true, reason: "stalled", note: `${note} The simulation is played again.` };
  if (endsAs === null) return undefined;
  const attempts = stalled_attempts + 1;
  const advice =
    endsAs === "stalled"
      ? `The service stalled in ${attempts} attempts: give it more CPU, or lower the run's concurrency.`
      : `${attempts} attempts ended like this; the service's log says why.`;
  return { isPlayedAgain: false, reason: endsAs, note: `${note} ${advice}` };
}
