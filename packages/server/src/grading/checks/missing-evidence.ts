import { type Decision, inconclusive } from "../decision.ts";
import { cutShort, stoppedAnswering } from "../absence.ts";
import type { Evidence } from "../evidence.ts";

/** Returns the decision. If there is a doubt about the evidence, returns inconclusive with the first doubt as the reason. */
export const unlessDoubted = (decision: Decision, ...doubts: (string | null | undefined)[]): Decision => {
  const doubt = doubts.find((reason) => typeof reason === "string");
  return doubt === undefined ? decision : inconclusive(`${decision.reason} ${doubt}`, decision.evidence);
};

/**
 * Returns a decision that depends on something that the agent did not do. The decision becomes inconclusive if the conversation is
 * incomplete, or if a limit of the run ended the conversation. A pass also requires that the agent answered until the end.
 */
export const byAbsence = (decision: Decision, evidence: Evidence, ...doubts: (string | null | undefined)[]): Decision =>
  unlessDoubted(
    decision,
    ...doubts,
    cutShort(evidence),
    decision.verdict === "passed" ? stoppedAnswering(evidence) : null,
  );

/** Returns why the evidence may lack tool calls of the agent; null if it contains all of them. */
export const toolDoubt = ({ partial, toolsVisible }: Evidence): string | null =>
  partial ?? (toolsVisible ? null : "The agent's tool calls are not visible.");
