import { type Decision, inconclusive } from "../decision.ts";
import { cutShort, stoppedAnswering } from "../absence.ts";
import type { Evidence } from "../evidence.ts";

/** Returns the decision, or inconclusive with the first reason to doubt that all evidence is known. */
export const unlessDoubted = (decision: Decision, ...doubts: (string | null | undefined)[]): Decision => {
  const doubt = doubts.find((reason) => typeof reason === "string");
  return doubt === undefined ? decision : inconclusive(`${decision.reason} ${doubt}`, decision.evidence);
};

/**
 * Returns a decision about something that the agent did not do. It is inconclusive when the conversation is incomplete or a
 * limit of ours ended it. To pass, the agent must also have answered until the end.
 */
export const byAbsence = (decision: Decision, evidence: Evidence, ...doubts: (string | null | undefined)[]): Decision =>
  unlessDoubted(
    decision,
    ...doubts,
    cutShort(evidence),
    decision.verdict === "passed" ? stoppedAnswering(evidence) : null,
  );

/** Returns why the evidence may lack tool calls of the agent; null when it has all of them. */
export const toolDoubt = ({ partial, toolsVisible }: Evidence): string | null =>
  partial ?? (toolsVisible ? null : "The agent's tool calls are not visible.");
