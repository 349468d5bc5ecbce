import { type Decision, failed, inconclusive, notGraded, passed } from "../decision.ts";
import { jsonOf } from "../bounds.ts";
import { succeeded } from "../checks/call-outcome.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import { handlingOf, worstOf } from "../failed-tool-calls.ts";

/**
 * Finds tool calls that repeat an earlier call without need. A repeated call with another result is not a duplicate, because it may have
 * checked for a change.
 */
export function duplicateToolCall(evidence: Evidence): Decision {
  const { toolCalls, turns } = evidence;
  if (toolCalls.length === 0) return notGraded("No tool was called.");
  const earlier = new Map<string, number>();
  for (const [index, call] of toolCalls.entries()) {
    const key = call.name === null || call.arguments === null ? null : `${call.name} ${canonical(call.arguments)}`;
    if (key === null) continue;
    const first = earlier.get(key);
    const isSame =
      first !== undefined &&
      succeeded(toolCalls[first]!, evidence) !== false &&
      canonical(toolCalls[first]!.result) === canonical(call.result) &&
      !callerSpokeBetween(turns, toolCalls[first]!, call);
    if (isSame)
      return failed(`${call.name} was called again with the same arguments.`, [
        { toolCall: first },
        { toolCall: index },
      ]);
    earlier.set(key, index);
  }
  return passed("No tool call was repeated.");
}

const callerSpokeBetween = (turns: Evidence["turns"], first: EvidenceToolCall, second: EvidenceToolCall) =>
  turns.some(({ speaker, startMs }) => speaker === "caller" && startMs > first.startMs && startMs <= second.startMs);

const canonical = (value: unknown): string =>
  jsonOf(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

export function unhandledToolError(evidence: Evidence): Decision {
  const failures = evidence.toolCalls.flatMap((call, index) => (succeeded(call, evidence) === false ? index : []));
  if (failures.length === 0) return notGraded("No tool call failed.");
  const worst = worstOf(failures.map((index) => handlingOf(index, evidence)));
  if (worst === undefined) return passed("The agent handled each failed tool call.");
  return (worst.verdict === "failed" ? failed : inconclusive)(worst.reason, worst.evidence);
}
