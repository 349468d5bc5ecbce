import { excerpt, jsonOf } from "../bounds.ts";
import { type Decision, failed, inconclusive, passed, type Proof } from "../decision.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import { unlessDoubted, toolDoubt } from "./missing-evidence.ts";
import type { Check } from "./check.ts";
import { matchesArguments } from "./wanted-arguments.ts";

type Calls = Check & { form: "calls" };

const OTHERS_SHOWN = 3;

/** Counts the calls that match and the calls that may match; the true number is between the two. */
export function calls(check: Calls, evidence: Evidence): Decision {
  const { least, most } = check;
  const matches = evidence.toolCalls.map((call) => matchesCall(check, call));
  const matching = proofsOf(matches, true);
  const possible = proofsOf(matches, null);
  const doubt = toolDoubt(evidence);
  const upTo = doubt === null ? matching.length + possible.length : Infinity;
  const reason = `${check.tool} was ${calledWords(matching.length)}${check.arguments ? " with these arguments" : ""}.`;

  if (matching.length > most) return failed(reason, matching);
  if (matching.length >= least && upTo <= most) return passed(reason, matching);
  if (upTo < least)
    return failed(`${reason}${otherCalls(check, evidence)}`, matching.length > 0 ? matching : proofsOf(matches, false));
  const unknown = `The name or the arguments of ${possible.length === 1 ? "a call" : `${possible.length} calls`} are not known.`;
  return inconclusive(`${reason} ${doubt ?? unknown}`, [...matching, ...possible]);
}

/** Returns undefined for another tool, and null when the name or the arguments are unknown. */
function matchesCall(check: Calls, call: EvidenceToolCall): boolean | null | undefined {
  if (call.name !== null && call.name !== check.tool) return undefined;
  const matches = check.arguments === null ? true : matchesArguments(check.arguments, call.arguments);
  return matches === true && call.name === null ? null : matches;
}

const proofsOf = (matches: readonly (boolean | null | undefined)[], wanted: boolean | null): Proof[] =>
  matches.flatMap((match, toolCall) => (match === wanted ? { toolCall } : []));

function otherCalls({ tool, arguments: wanted }: Calls, { toolCalls }: Evidence): string {
  const others = wanted === null ? [] : toolCalls.filter(({ name }) => name === tool);
  if (others.length === 0) return "";
  const shown = others.slice(0, OTHERS_SHOWN).map((call) => excerpt(jsonOf(call.arguments)));
  return ` It was called with ${shown.join(" and ")}.`;
}

const calledWords = (count: number): string =>
  count === 0 ? "never called" : count === 1 ? "called once" : `called ${count} times`;

/** Decides on the order of two tools; a missing call of the first fails the check. */
export function callsBefore(check: Check & { form: "calls_before" }, evidence: Evidence): Decision {
  const { partial, toolsVisible, toolCalls } = evidence;
  const unnamed = toolCalls.some(({ name }) => name === null) ? "The name of a call is not known." : null;
  const doubt = toolsVisible ? unnamed : toolDoubt(evidence);
  const { decision, mayStillChange } = inOrder(check, toolCalls);
  return unlessDoubted(decision, doubt, mayStillChange ? partial : null);
}

function inOrder({ first, second }: Check & { form: "calls_before" }, calls: readonly EvidenceToolCall[]) {
  const [early, late] = [first, second].map((tool) => calls.findIndex(({ name }) => name === tool)) as [number, number];
  const final = (decision: Decision) => ({ decision, mayStillChange: false });
  const proofs = [early, late].filter((index) => index >= 0).map((toolCall) => ({ toolCall }));
  if (early < 0 && late < 0) return { decision: failed(`${first} was never called.`), mayStillChange: true };
  if (early < 0) return final(failed(`${second} was called without ${first} before it.`, proofs));
  if (late < 0) return final(passed(`${first} was called, and ${second} was not called before it.`, proofs));
  const ordered = calls[early]!.startMs < calls[late]!.startMs;
  if (ordered) return final(passed(`${first} was called before ${second}.`, proofs));
  return final(failed(`${second} was not called after ${first}.`, proofs));
}
