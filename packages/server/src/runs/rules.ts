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
/** Simulation without its lease and its transcript. Transcripts are left out because they may be large. */
export type SimulationSummaryRow = Omit<SimulationRow, "transcript" | "leased_until_ms">;
export type SimulationCount = Pick<SimulationRow, "status" | "verdict" | "grading"> & {
  count: number;
  behaviors: number;
  /** Number of expected behaviors of these simulations that passed or failed. */
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

export function refuseUnended({ status }: SimulationRow): void {
  if (status === "completed" || status === "failed") return;
  throw new AppError(
    "conflict",
    status === "canceled"
      ? "The simulation was canceled and cannot be graded; choose one that has ended."
      : "The simulation is still under way; wait until it has ended.",
  );
}

export function refuseErased({ texts_erased }: SimulationRow): void {
  if (texts_erased === 0) return;
  throw new AppError(
    "conflict",
    "The conversation of this simulation is erased and cannot be graded again; start a new run.",
  );
}

/** Returns the status of an ended simulation. It tells whether the conversation was played, and not how well the agent did. */
export function statusOf(reason: EndingReason): "completed" | "failed" {
  const played = ["agent_ended", "transferred", "persona_concluded", "turn_limit", "time_limit"].includes(reason);
  return played ? "completed" : "failed";
}

/** Endings for which the agent always fails, independent of the conversation. */
const AGENT_FAILED = new Set<EndingReason>(["agent_error", "agent_never_joined", "no_answer", "agent_silent"]);

/**
 * Returns the verdict that an ending decides. `failed`: the agent failed. `errored`: the service, something outside, a cancellation or a
 * refused call ended the conversation. Undefined for all other endings, and for `no_caller_lines` (the test has no line for the caller).
 */
export function verdictOfEnding(reason: EndingReason): Verdict | undefined {
  if (reason === "no_caller_lines") return undefined;
  if (reason === "call_not_placed") return "errored";
  const { by } = ENDING_REASONS[reason];
  if (AGENT_FAILED.has(reason)) return "failed";
  return by === "service" || by === "outside" || by === "canceled" ? "errored" : undefined;
}

const NEVER_ANSWERED = new Set<EndingReason>([
  "agent_never_joined",
  "no_answer",
  "connection_refused",
  "call_rejected",
  "no_call",
  "unknown_address",
  "worker_missing",
  "media_unreachable",
]);

/** Returns whether the agent could not be reached. All other conversations of the run would then end in the same way. */
export const neverAnswered = (reason: EndingReason): boolean => NEVER_ANSWERED.has(reason);

/** Connection at the time when the run was created, without its credential. A conversation reads the credential when it starts. */
export type ConnectionSnapshot = {
  connectionType: ConnectionType;
  accessVariant: AccessVariant;
  config: Record<string, string>;
};

export const snapshotOf = (run: { connection: string }): ConnectionSnapshot => JSON.parse(run.connection);
