import { type Decision, failed, inconclusive, notGraded, passed } from "../decision.ts";
import { jsonOf } from "../bounds.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import { dealtWith, worstOf } from "../tool-trouble.ts";

/** Of two calls with different results the second may be a look whether something has changed. */
export function duplicateToolCall({ toolCalls, turns }: Evidence): Decision {
  if (toolCalls.length === 0) return notGraded("No tool was called.");
  const earlier = new Map<string, number>();
  for (const [place, call] of toolCalls.entries()) {
    const key = call.name === null || call.arguments === null ? null : `${call.name} ${canonical(call.arguments)}`;
    if (key === null) continue;
    const first = earlier.get(key);
    const isSame =
      first !== undefined &&
      toolCalls[first]!.outcome !== "error" &&
      canonical(toolCalls[first]!.result) === canonical(call.result) &&
      !callerSpokeBetween(turns, toolCalls[first]!, call);
    if (isSame)
      return failed(`${call.name} was called again with the same arguments.`, [
        { toolCall: first },
        { toolCall: place },
      ]);
    earlier.set(key, place);
  }
  return passed("No tool was called twice for the same thing.");
}

const callerSpokeBetween = (turns: Evidence["turns"], first: EvidenceToolCall, second: EvidenceToolCall) =>
  turns.some(({ speaker, startMs }) => speaker === "caller" && startMs > first.startMs && startMs <= second.startMs);

/** The same for the same JSON, in whatever order its keys stand. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return jsonOf(value);
  return jsonOf(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function unhandledToolError(evidence: Evidence): Decision {
  const failures = evidence.toolCalls.flatMap(({ outcome }, place) => (outcome === "error" ? place : []));
  if (failures.length === 0) return notGraded("No tool call failed.");
  const worst = worstOf(failures.map((place) => dealtWith(place, evidence)));
  if (worst === undefined) return passed("The agent dealt with each tool call that failed.");
  return (worst.verdict === "failed" ? failed : inconclusive)(worst.reason, worst.evidence);
}
