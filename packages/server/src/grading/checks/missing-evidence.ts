import { type Decision, inconclusive } from "../decision.ts";
import { cutShort, stoppedAnswering } from "../absence.ts";
import type { Evidence } from "../evidence.ts";

/** Returns a decision that follows from missing evidence, or inconclusive when there is a doubt that all evidence is known. */
export const unlessDoubted = (decision: Decision, ...doubts: (string | null | undefined)[]): Decision => {
  const doubt = doubts.find((reason) => typeof reason === "string");
  return doubt === undefined ? decision : inconclusive(`${decision.reason} ${doubt}`, decision.evidence);
};

/**
 * Returns a decision that follows from what the agent did not do. It needs a whole conversation that no limit of ours ended, and
 * passes only for an agent that was there until the end.
 */
export const byAbsence = (decision: Decision, evidence: Evidence, ...doubts: (string | null | undefined)[]): Decision =>
  unlessDoubted(
    decision,
    ...doubts,
    cutShort(evidence),
    decision.verdict === "passed" ? stoppedAnswering(evidence) : null,
  );

/** Returns why the agent may have made tool calls that are not in the evidence; null when the evidence has all. */
export const toolDoubt = ({ partial, toolsVisible }: Evidence): string | null =>
  partial ?? (toolsVisible ? null : "The agent's tool calls are not visible.");
