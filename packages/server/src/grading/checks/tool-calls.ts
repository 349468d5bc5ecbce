import { jsonOf, shown } from "../bounds.ts";
import { type Decision, failed, inconclusive, passed, type Proof } from "../decision.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import { ifAllKnown, unseenTools } from "./absent.ts";
import type { Check } from "./check.ts";
import { matchesArguments } from "./wanted-arguments.ts";

type Calls = Check & { form: "calls" };

const OTHERS_SHOWN = 3;

/** Counts calls that are meant, and those that may be: their number lies between the two. */
export function calls(check: Calls, evidence: Evidence): Decision {
  const { least, most } = check;
  const answers = evidence.toolCalls.map((call) => isMeant(check, call));
  const meant = proofsOf(answers, true);
  const open = proofsOf(answers, null);
  const unseen = unseenTools(evidence);
  const upTo = unseen === null ? meant.length + open.length : Infinity;
  const reason = `${check.tool} was ${calledWords(meant.length)}${check.arguments ? " with these arguments" : ""}.`;

  if (meant.length > most) return failed(reason, meant);
  if (meant.length >= least && upTo <= most) return passed(reason, meant);
  if (upTo < least)
    return failed(`${reason}${otherCalls(check, evidence)}`, meant.length > 0 ? meant : proofsOf(answers, false));
  const doubt =
    unseen ?? `The name or the arguments of ${open.length === 1 ? "a call" : `${open.length} calls`} are not known.`;
  return inconclusive(`${reason} ${doubt}`, [...meant, ...open]);
}

function isMeant(check: Calls, call: EvidenceToolCall): boolean | null | undefined {
  if (call.name !== null && call.name !== check.tool) return undefined;
  const matches = check.arguments === null ? true : matchesArguments(check.arguments, call.arguments);
  return matches === true && call.name === null ? null : matches;
}

const proofsOf = (answers: readonly (boolean | null | undefined)[], wanted: boolean | null): Proof[] =>
  answers.flatMap((answer, toolCall) => (answer === wanted ? { toolCall } : []));

function otherCalls({ tool, arguments: wanted }: Calls, { toolCalls }: Evidence): string {
  const others = wanted === null ? [] : toolCalls.filter(({ name }) => name === tool);
  if (others.length === 0) return "";
  const given = others.slice(0, OTHERS_SHOWN).map((call) => shown(jsonOf(call.arguments)));
  return ` It was called with ${given.join(" and ")}.`;
}

const calledWords = (count: number): string =>
  count === 0 ? "never called" : count === 1 ? "called once" : `called ${count} times`;

/** That the first never ran is no matter of order only when the second did not run either. */
export function callsBefore(check: Check & { form: "calls_before" }, evidence: Evidence): Decision {
  const { partial, toolsVisible, toolCalls } = evidence;
  const nameless = toolCalls.some(({ name }) => name === null) ? "The name of a call is not known." : null;
  const unseen = toolsVisible ? nameless : unseenTools(evidence);
  const { decision, mayStillChange } = inOrder(check, toolCalls);
  return ifAllKnown(decision, unseen, mayStillChange ? partial : null);
}

function inOrder({ first, second }: Check & { form: "calls_before" }, calls: readonly EvidenceToolCall[]) {
  const [early, late] = [first, second].map((tool) => calls.findIndex(({ name }) => name === tool)) as [number, number];
  const settled = (decision: Decision) => ({ decision, mayStillChange: false });
  const proofs = [early, late].filter((place) => place >= 0).map((toolCall) => ({ toolCall }));
  if (early < 0 && late < 0) return { decision: failed(`${first} was never called.`), mayStillChange: true };
  if (early < 0) return settled(failed(`${second} was called without ${first} before it.`, proofs));
  if (late < 0) return settled(passed(`${first} was called, and ${second} was not called before it.`, proofs));
  const ordered = calls[early]!.startMs < calls[late]!.startMs;
  if (ordered) return settled(passed(`${first} was called before ${second}.`, proofs));
  return settled(failed(`${second} was not called after ${first}.`, proofs));
}
