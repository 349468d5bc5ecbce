import { type Decision, inconclusive } from "../decision.ts";
import { cutShort, stoppedAnswering } from "../absence.ts";
import { type Evidence, TOOLS_UNSEEN } from "../evidence.ts";

export const unlessDoubted = (decision: Decision, ...doubts: (string | null | undefined)[]): Decision => {
  const doubt = doubts.find((reason) => typeof reason === "string");
  return doubt === undefined ? decision : inconclusive(`${decision.reason} ${doubt}`, decision.evidence);
};

/** Returns a decision that depends on something that the agent did not do. */
export const byAbsence = (decision: Decision, evidence: Evidence, ...doubts: (string | null | undefined)[]): Decision =>
  unlessDoubted(
    decision,
    ...doubts,
    cutShort(evidence),
    decision.verdict === "passed" ? stoppedAnswering(evidence) : null,
  );

export const toolDoubt = ({ partial, toolsVisible }: Evidence): string | null =>
  partial ?? (toolsVisible ? null : TOOLS_UNSEEN);
