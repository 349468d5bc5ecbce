import { type Decision, failed, inconclusive, passed, type Proof } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import { confirmed } from "../call-outcome.ts";
import type { Broken, Check, WantedCall } from "../check.ts";
import { toolDoubt, unlessDoubted } from "../missing-evidence.ts";
import { nameDoubt, typingDoubt } from "../tool-names.ts";
import { callWords, isWanted, takeCall } from "../wanted-call.ts";
import { CALL_VERB } from "./calls.ts";
import type { Form } from "./form.ts";

type Before = Check & { form: "calls_before" };
type NeverAfter = Check & { form: "never_calls_after" };

export const callsBefore: Form<Before> = {
  name: "calls_before",
  title: "calls in order",
  examples: [
    "calls verify_identity before charge_card",
    "calls send_receipt after charge_card",
    "calls authenticate_user, then get_balance",
    "calls book_table with guests=2 before charge_card",
    "never calls refund with amount=100 before verify_identity",
    "never calls wire_transfer without calling confirm_identity first",
  ],
  reads: "names, arguments, outcomes, results and starts of the tool calls",
  unsure: "the call that must come first failed, may have failed or reports a refusal, or some calls are unknown",
  judgeCanTell: true,
  nearly: /^(?:calls?|uses?|invokes?|runs?)\s+[^]*\b(?:before|after|then|first|until|without)\b/i,
  read(predicate) {
    const order = readOrder(predicate);
    if (order === undefined || "form" in order) return order;
    const { call, word, other } = order;
    if (word === "then")
      return predicate.never ? undefined : { form: "calls_before", first: call, second: other, wanted: "second" };
    if (word === "without")
      return predicate.never ? { form: "calls_before", first: other, second: call, wanted: "never_second" } : undefined;
    if (predicate.never)
      return word === "before"
        ? { form: "calls_before", first: other, second: call, wanted: "never_second" }
        : undefined;
    return word === "before"
      ? { form: "calls_before", first: call, second: other, wanted: "first" }
      : { form: "calls_before", first: other, second: call, wanted: "second" };
  },
  echo: ({ first, second, wanted }) =>
    wanted === "first"
      ? `The agent calls ${callWords(first)}, and with success before it calls ${callWords(second)}.`
      : wanted === "second"
        ? `The agent calls ${callWords(second)} after ${callWords(first)} succeeded.`
        : `The agent never calls ${callWords(second)} before ${callWords(first)} succeeded.`,
  decide: decideBefore,
};

export const neverCallsAfter: Form<NeverAfter> = {
  name: "never_calls_after",
  title: "never calls after",
  examples: ["never calls charge_card after cancel_order"],
  reads: "names, arguments, outcomes, results and starts of the tool calls",
  unsure: "the earlier call failed or may have failed, or some calls are unknown",
  judgeCanTell: true,
  nearly: /^(?!)/,
  read(predicate) {
    const order = predicate.never ? readOrder(predicate) : undefined;
    if (order === undefined || "form" in order) return order;
    return order.word === "after" ? { form: "never_calls_after", first: order.other, second: order.call } : undefined;
  },
  echo: ({ first, second }) => `The agent never calls ${callWords(second)} after ${callWords(first)} succeeded.`,
  decide: decideNeverAfter,
};

type Order = { call: WantedCall; word: "before" | "after" | "then" | "without"; other: WantedCall };

const LINK =
  /^(?:\s+(before|after)\s+(?:(?:it\s+(?:calls|uses)|calling|using)\s+)?|\s+(without)\s+(?:first\s+)?(?:calling|using)\s+|,?\s+(?:and\s+)?then\s+(?:calls\s+|uses\s+)?)/i;

function readOrder({ text }: { text: string }): Order | Broken | undefined {
  const verb = CALL_VERB.exec(text);
  if (verb === null) return undefined;
  const plain = verb.groups!["plain"] !== undefined;
  const taken = takeCall(text.slice(verb[0].length), plain);
  if (taken === undefined || "form" in taken) return taken;
  const link = LINK.exec(taken.rest);
  if (link === null) return undefined;
  const other = takeCall(taken.rest.slice(link[0].length), true);
  if (other === undefined || "form" in other) return other;
  const isFirst = /^\s+(?:first|beforehand)$/i.test(other.rest) || /\bfirst\b/i.test(link[0]);
  if (link[2] !== undefined)
    return isFirst && /^\s*(?:first|beforehand)?$/i.test(other.rest)
      ? { call: taken.call, word: "without", other: other.call }
      : undefined;
  if (other.rest.trim() !== "") return undefined;
  const word = link[1]?.toLowerCase() as "before" | "after" | undefined;
  return { call: taken.call, word: word ?? "then", other: other.call };
}

/** A call of one of the two tools: whether it is the wanted one and succeeded. */
type Step = { at: number; startMs: number; sure: boolean; success: boolean | null };

function stepsOf(wanted: WantedCall, evidence: Evidence): Step[] {
  return evidence.toolCalls.flatMap((call, at) => {
    const match = isWanted(wanted, call, evidence);
    if (match === undefined || match === false) return [];
    return { at, startMs: call.startMs, sure: match === true, success: confirmed(call) };
  });
}

const proof = (...steps: (Step | undefined)[]): Proof[] => steps.flatMap((step) => (step ? { toolCall: step.at } : []));
const isDone = ({ sure, success }: Step) => sure && success === true;

function decideBefore(check: Before, evidence: Evidence): Decision {
  const [firsts, seconds] = [stepsOf(check.first, evidence), stepsOf(check.second, evidence)];
  return check.wanted === "second"
    ? decideAfter(check, firsts, seconds, evidence)
    : decideFirst(check, firsts, seconds, evidence);
}

/** Decides whether the first call succeeded before any second one began. */
function decideFirst(check: Before, firsts: Step[], seconds: Step[], evidence: Evidence): Decision {
  const [first, second] = [check.first.tool, check.second.tool];
  const done = firsts.find(isDone);
  const doubt = toolDoubt(evidence);
  const early = seconds.filter((step) => done === undefined || step.startMs <= done.startMs);
  const broke = early.find((step) => step.sure && step.success === true);
  const excuse = firsts.find(
    (step) =>
      !isDone(step) && (step.success !== false || !step.sure) && broke !== undefined && step.startMs < broke.startMs,
  );
  if (broke !== undefined) {
    const reason = `${second} was called without a successful call of ${first} before it.`;
    const hidden = evidence.toolsVisible ? null : doubt;
    if (excuse !== undefined)
      return inconclusive(`${reason} An earlier call of ${first} may have succeeded.`, proof(excuse, broke));
    return unlessDoubted(failed(reason, proof(firsts[0], broke)), hidden, typingDoubt(check.first.tool, evidence));
  }
  if (early.length > 0)
    return inconclusive(`${second} may have been called without ${first} before it.`, proof(early[0]));
  if (check.wanted === "never_second") {
    const reason =
      seconds.length === 0 ? `${second} was never called.` : `${second} was not called before ${first} succeeded.`;
    return unlessDoubted(
      passed(reason, proof(done, seconds[0])),
      doubt,
      seconds.length === 0 ? nameDoubt(second, evidence) : null,
    );
  }
  if (done === undefined) {
    const reason = `${first} was never called with success.`;
    if (firsts.length > 0) return inconclusive(`${reason} A call failed or may be another one.`, proof(firsts[0]));
    return unlessDoubted(failed(`${first} was never called.`), doubt, typingDoubt(first, evidence));
  }
  const reason =
    seconds.length > 0
      ? `${first} was called before ${second}.`
      : `${first} was called, and ${second} was not called before it.`;
  return unlessDoubted(
    passed(reason, proof(done, seconds[0])),
    evidence.toolsVisible ? null : doubt,
    unnamedBefore(done, evidence),
    seconds.length === 0 ? nameDoubt(second, evidence) : null,
  );
}

/** Decides whether the second call succeeded after a first one that succeeded. */
function decideAfter(check: Before, firsts: Step[], seconds: Step[], evidence: Evidence): Decision {
  const [first, second] = [check.first.tool, check.second.tool];
  const doubt = toolDoubt(evidence);
  const done = firsts.find(isDone);
  const after = done && seconds.find((step) => isDone(step) && step.startMs > done.startMs);
  if (done && after) return passed(`${second} was called after ${first}.`, proof(done, after));
  const mayBe = seconds.find((step) => firsts.some((other) => other.success !== false && other.startMs < step.startMs));
  if (mayBe !== undefined)
    return inconclusive(`A call of ${second} after ${first} failed or may be another one.`, proof(mayBe));
  const reason =
    seconds.length === 0 ? `${second} was never called.` : `${second} was not called after ${first} succeeded.`;
  return unlessDoubted(
    failed(reason, proof(done, seconds[0])),
    doubt,
    typingDoubt(first, evidence),
    typingDoubt(second, evidence),
  );
}

function decideNeverAfter(check: NeverAfter, evidence: Evidence): Decision {
  const [firsts, seconds] = [stepsOf(check.first, evidence), stepsOf(check.second, evidence)];
  const [first, second] = [check.first.tool, check.second.tool];
  const broke = seconds.find(
    (step) => step.sure && firsts.some((other) => isDone(other) && other.startMs < step.startMs),
  );
  if (broke !== undefined) return failed(`${second} was called after ${first}.`, proof(firsts[0], broke));
  const mayBe = seconds.find((step) => firsts.some((other) => other.startMs < step.startMs));
  if (mayBe !== undefined) return inconclusive(`${second} may have been called after ${first}.`, proof(mayBe));
  return unlessDoubted(
    passed(`${second} was not called after ${first}.`, proof(seconds[0])),
    toolDoubt(evidence),
    nameDoubt(second, evidence),
    seconds.length > 0 ? nameDoubt(first, evidence) : null,
  );
}

const unnamedBefore = ({ startMs }: Step, { toolCalls }: Evidence): string | null =>
  toolCalls.some((call) => call.name === null && call.startMs < startMs)
    ? "The name of an earlier call is not known."
    : null;
