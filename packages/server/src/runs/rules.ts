import {
  type AccessVariant,
  type ConnectionType,
  ENDING_REASONS,
  type EndingReason,
  LIMITS,
  type Verdict,
} from "@svc/contract";
import { AppError } from "../base/errors.ts";
import type { Schema } from "../stores/schema.ts";

export type RunRow = Schema["runs"];
export type SimulationRow = Schema["simulations"];
/** A simulation without its lease, and without its transcript, which may be large. */
export type SimulationSummaryRow = Omit<SimulationRow, "transcript" | "leased_until_ms">;
/** The number of a run's simulations in one state. */
export type SimulationCount = Pick<SimulationRow, "status" | "verdict" | "grading"> & {
  count: number;
  /** The number of their expected behaviors. */
  behaviors: number;
  /** The number of their expected behaviors that passed or failed. */
  decidedBehaviors: number;
};

export const agentArchived = () =>
  new AppError("parent_agent_archived", "The agent is archived; restore it, or name another agent.");

export function refuseTooMany(simulations: number): void {
  if (simulations <= LIMITS.runSimulations) return;
  throw new AppError(
    "unprocessable",
    `This would be ${simulations} simulations; a run has at most ${LIMITS.runSimulations}: name fewer tests or iterations.`,
  );
}

/** Refuses to grade a simulation that has not ended. */
export function refuseUnended({ status }: SimulationRow): void {
  if (status === "completed" || status === "failed") return;
  throw new AppError(
    "conflict",
    status === "canceled"
      ? "The simulation was canceled and cannot be graded; choose one that has ended."
      : "The simulation is still under way; wait until it has ended.",
  );
}

/** Refuses to grade a simulation whose conversation is erased. */
export function refuseErased({ texts_erased }: SimulationRow): void {
  if (texts_erased === 0) return;
  throw new AppError(
    "conflict",
    "The conversation of this simulation is erased and cannot be graded again; start a new run.",
  );
}

/** Returns the status of an ended simulation: whether the conversation could be played, not whether the agent did well. */
export function statusOf(reason: EndingReason): "completed" | "failed" {
  const played = ["agent_ended", "transferred", "persona_concluded", "turn_limit", "time_limit"].includes(reason);
  return played ? "completed" : "failed";
}

/** Endings that are failures of the agent, whatever was said. */
const AGENT_FAILED = new Set<EndingReason>(["agent_error", "agent_never_joined", "no_answer", "agent_silent"]);

/**
 * Returns the verdict that an ending decides by itself: `failed` when the agent failed, `errored` when the service or something
 * outside failed, else undefined. Also undefined when nothing was played because the test has no caller line.
 */
export function verdictOfEnding(reason: EndingReason): Verdict | undefined {
  if (reason === "no_caller_lines") return undefined;
  const { by } = ENDING_REASONS[reason];
  if (AGENT_FAILED.has(reason)) return "failed";
  return by === "service" || by === "outside" || by === "canceled" ? "errored" : undefined;
}

const NEVER_ANSWERED = new Set<EndingReason>([
  "agent_never_joined",
  "no_answer",
  "connection_refused",
  "call_rejected",
  "unknown_address",
  "worker_missing",
  "media_unreachable",
]);

/** Returns whether the conversation ended before the agent said anything, for a reason that would end every other one too. */
export const neverAnswered = (reason: EndingReason): boolean => NEVER_ANSWERED.has(reason);

/** The connection when the run was created. Its credential is read when a conversation starts. */
export type ConnectionSnapshot = {
  connectionType: ConnectionType;
  accessVariant: AccessVariant;
  config: Record<string, string>;
};

/** Returns the connection that a run was created with. */
export const snapshotOf = (run: { connection: string }): ConnectionSnapshot => JSON.parse(run.connection);
