import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import { succeeded } from "../call-outcome.ts";
import type { Check } from "../check.ts";
import { boundsOf, boundsWords } from "../grammar/quantity.ts";
import { byAbsence, toolDoubt } from "../missing-evidence.ts";
import { nameDoubt, typingDoubt } from "../tool-names.ts";
import { callWords, isWanted, otherCalls, proofsOf, takeCall } from "../wanted-call.ts";
import type { Form } from "./form.ts";

type Calls = Check & { form: "calls" };

/** "Uses" and "invokes" have other meanings too, as in "uses slang". After them, the next word must look like a tool's name. */
export const CALL_VERB = /^(?:(?<plain>calls?)|uses?|invokes?|runs?)\s+/i;

export const calls: Form<Calls> = {
  name: "calls",
  title: "calls, never calls",
  examples: [
    "calls book_room",
    "calls the book_room tool",
    "calls book_room with guests=2, date=2026-06-09",
    'calls send_sms with to=/^\\+49/ and text: "See you"',
    "calls quote with exactly sku=A1",
    "calls lookup once",
    "calls lookup exactly 2 times",
    "calls lookup no more than twice",
    "calls lookup at least 2 times",
    "never calls refund",
    "does not call refund with amount=/\\d{4}/",
    "never calls lookup more than twice",
  ],
  reads: "names, arguments, outcomes and results of the tool calls",
  unsure:
    "only failed calls match, an argument may mean the same, no tool of that name is known, or some calls are unknown",
  judgeCanTell: true,
  nearly: /^(?:calls?|uses?|invokes?|runs?)\s[^]*(?:\w_\w|`|\btool\b|\w=)|^(?:calls?)\s+\w+$/i,
  read({ never, text }) {
    const verb = CALL_VERB.exec(text);
    if (verb === null) return undefined;
    const taken = takeCall(text.slice(verb[0].length), verb.groups!["plain"] !== undefined);
    if (taken === undefined || "form" in taken) return taken;
    const { call, rest } = taken;
    const bounds = rest.trim() === "" ? once(never) : /^\s/.test(rest) ? boundsOf(rest, never) : undefined;
    return bounds && { form: "calls", ...call, ...bounds };
  },
  echo(check) {
    if (check.most === 0) return `The agent never calls ${callWords(check)}.`;
    const times = boundsWords(check);
    return `The agent calls ${callWords(check)}${times === undefined ? "" : ` ${times}`}.`;
  },
  successOf: ({ tool, most }) => (most === 0 ? [] : [tool]),
  decide: decideCalls,
};

const once = (never: boolean) => (never ? { least: 0, most: 0 } : { least: 1, most: Infinity });

/**
 * Decides whether the number of calls is within its bounds. The true number is between the number of `certain` calls and the number of
 * `possible` calls.
 */
function decideCalls(check: Calls, evidence: Evidence): Decision {
  const { least, most } = check;
  const matches = evidence.toolCalls.map((call) => isWanted(check, call, evidence));
  const indexes = [...matches.keys()];
  const certain = indexes.filter((at) => matches[at] === true && counts(evidence, at, most));
  const possible = indexes.filter((at) => typeof matches[at] !== "undefined" && matches[at] !== false);
  const doubt = toolDoubt(evidence);
  const reason = `${check.tool} was ${calledWords(certain.length)}${check.arguments ? " with these arguments" : ""}.`;

  if (certain.length > most) return failed(reason, proofsOf(certain));
  if (certain.length >= least && most === Infinity) return passed(reason, proofsOf(certain));
  if (possible.length < least)
    return byAbsence(
      failed(
        `${reason}${otherCalls(check, evidence)}`,
        proofsOf(certain.length > 0 ? certain : indexes.filter((at) => matches[at] === false)),
      ),
      evidence,
      doubt,
      certain.length === 0 ? typingDoubt(check.tool, evidence) : null,
    );
  if (certain.length >= least && possible.length <= most)
    return byAbsence(
      passed(reason, proofsOf(certain)),
      evidence,
      doubt,
      certain.length === 0 ? nameDoubt(check.tool, evidence) : null,
    );
  return inconclusive(
    doubt === null && certain.length === 0 && possible.every((at) => matches[at] === true)
      ? unsuccessfulWords(check, possible.length)
      : `${reason} ${doubt ?? openWords(evidence, possible, certain)}`,
    proofsOf(possible),
  );
}

/** Returns whether a tool call counts. A failed call counts only when the tool must never be called (`most` is 0). */
const counts = (evidence: Evidence, at: number, most: number) =>
  most === 0 || succeeded(evidence.toolCalls[at]!, evidence) === true;

function openWords(evidence: Evidence, possible: readonly number[], certain: readonly number[]): string {
  const open = possible.filter((at) => !certain.includes(at));
  const failures = open.filter((at) => succeeded(evidence.toolCalls[at]!, evidence) !== true);
  if (failures.length === open.length && open.length > 0)
    return `${failures.length === 1 ? "Another call" : `${failures.length} other calls`} failed or may have failed.`;
  return `The name or the arguments of ${open.length === 1 ? "a call" : `${open.length} calls`} are not known, or may mean the same.`;
}

function unsuccessfulWords(check: Calls, count: number): string {
  const what = `${check.tool} was ${calledWords(count)}${check.arguments ? " with these arguments" : ""}`;
  return `${what}, and ${count === 1 ? "the call" : "each call"} failed or may have failed.`;
}

const calledWords = (count: number): string =>
  count === 0 ? "never called" : count === 1 ? "called once" : `called ${count} times`;
