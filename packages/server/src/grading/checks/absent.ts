import { type Decision, inconclusive } from "../decision.ts";
import type { Evidence } from "../evidence.ts";

/** A decision that rests on something not being there, which holds only when all is known. */
export const ifAllKnown = (decision: Decision, ...doubts: (string | null | undefined)[]): Decision => {
  const doubt = doubts.find((reason) => typeof reason === "string");
  return doubt === undefined ? decision : inconclusive(`${decision.reason} ${doubt}`, decision.evidence);
};

/** Why tool calls that are not here may have been made; null when all are here. */
export const unseenTools = ({ partial, toolsVisible }: Evidence): string | null =>
  partial ?? (toolsVisible ? null : "The agent's tool calls cannot be seen.");
