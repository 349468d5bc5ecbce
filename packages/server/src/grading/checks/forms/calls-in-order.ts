import { type Decision, failed, inconclusive, passed, type Proof } from "../../decision.ts";
import type { Evidence, EvidenceToolCall } from "../../evidence.ts";
import { confirmed, succeeded } from "../call-outcome.ts";
import type { Broken, Check, WantedCall, WantedOrder } from "../check.ts";
import { readSuccess } from "../grammar/success.ts";
import { takeTool } from "../grammar/tool.ts";
import { byAbsence, toolDoubt, unlessDoubted } from "../missing-evidence.ts";
import { nameDoubt, typingDoubt } from "../tool-names.ts";
import { callWords, isWanted, successWords, takeCall } from "../wanted-call.ts";
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
    "never calls charge_card before verify_identity, where verify_identity succeeds when verified = true",
    "never calls wire_transfer without calling confirm_identity first",
  ],
  reads: "names, arguments, outcomes, results, starts and ends of the tool calls",
  unsure:
    "the call that must come first does not report success or may have failed, the other call may have begun before its end, or some calls are unknown",
  judgeCanTell: true,
  nearly: /^(?:calls?|uses?|invokes?|runs?)\s+[^]*\b(?:before|after|then|first|until|without)\b/i,
  read(predicate) {
    const order = readOrder(predicate);
    if (order === undefined || "form" in order) return order;
    const { call, word, other, success } = order;
    const forward = { form: "calls_before", first: call, second: other, ...success } as const;
    const backward = { form: "calls_before", first: other, second: call, ...success } as const;
    if (word === "then") return predicate.never ? undefined : { ...forward, wanted: "second" };
    if (word === "without") return predicate.never ? { ...backward, wanted: "never_second" } : undefined;
    if (predicate.never) return word === "before" ? { ...backward, wanted: "never_second" } : undefined;
    return word === "before" ? { ...forward, wanted: "first" } : { ...backward, wanted: "second" };
  },
  echo({ first, second, wanted, success }) {
    const order =
      wanted === "first"
        ? `The agent calls ${callWords(first)}, and with success before it calls ${callWords(second)}`
        : wanted === "second"
          ? `The agent calls ${callWords(second)} after ${callWords(first)} succeeded`
          : `The agent never calls ${callWords(second)} before ${callWords(first)} succeeded`;
    return `${order}${ownSuccess(success)}.`;
  },
  successOf: toolsOf,
  decide: decideBefore,
};

export const neverCallsAfter: Form<NeverAfter> = {
  name: "never_calls_after",
  title: "never calls after",
  examples: ["never calls charge_card after cancel_order"],
  reads: "names, arguments, outcomes, results, starts and ends of the tool calls",
  unsure: "the earlier call failed, does not report success or may not have ended, or some calls are unknown",
  judgeCanTell: true,
  nearly: /^(?!)/,
  read(predicate) {
    const order = predicate.never ? readOrder(predicate) : undefined;
    if (order === undefined || "form" in order) return order;
    const { call, word, other, success } = order;
    return word === "after" ? { form: "never_calls_after", first: other, second: call, ...success } : undefined;
  },
  echo: ({ first, second, success }) =>
    `The agent never calls ${callWords(second)} after ${callWords(first)} succeeded${ownSuccess(success)}.`,
  successOf: toolsOf,
  decide: decideNeverAfter,
};

const ownSuccess = (success: WantedCall | undefined): string =>
  success === undefined ? "" : successWords(success.tool, success.arguments!);

/** Returns the names of the two tools, without a tool whose success condition is in the sentence itself. */
function toolsOf({ first, second, success }: WantedOrder): string[] {
  return [first.tool, second.tool].filter((tool) => tool !== success?.tool);
}

type Order = {
  call: WantedCall;
  word: "before" | "after" | "then" | "without";
  other: WantedCall;
  success?: { success: WantedCall };
};

const LINK =
  /^(?:\s+(before|after)\s+(?:(?:it\s+(?:calls|uses)|calling|using)\s+)?|\s+(without)\s+(?:first\s+)?(?:calling|using)\s+|,?\s+(?:and\s+)?then\s+(?:calls\s+|uses\s+)?)/i;

const SUCCESS = /^([^]+?)(?:\s*[,;]\s*(?:and\s+)?(?:where\s+)?|\s+where\s+)(\S+)\s+succeeds\s+(?:when|if)\s+([^]+)$/i;

/** Reads two tool calls and their order. A success condition may follow: "where verify_identity succeeds when verified = true". */
function readOrder({ text }: { text: string }): Order | Broken | undefined {
  const match = SUCCESS.exec(text);
  if (match === null) return readCalls(text);
  const order = readCalls(match[1]!);
  const tool = takeTool(match[2]!, true);
  const condition = readSuccess(match[3]!);
  if (order === undefined || "form" in order || tool?.rest !== "" || condition === undefined) return undefined;
  if ("problem" in condition) return { form: "unreadable", problem: condition.problem };
  const isNamed = [order.call.tool, order.other.tool].includes(tool.tool);
  return isNamed ? { ...order, success: { success: { tool: tool.tool, arguments: condition } } } : undefined;
}

function readCalls(text: string): Order | Broken | undefined {
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

/** A call that may be one of the two wanted calls. `sure`: it is certainly a call of the wanted tool with the wanted arguments. */
type Step = { at: number; startMs: number; endMs: number | null; sure: boolean; success: boolean | null };

function stepsOf(
  wanted: WantedCall,
  evidence: Evidence,
  successOf: (call: EvidenceToolCall) => boolean | null,
): Step[] {
  return evidence.toolCalls.flatMap((call, at) => {
    const match = isWanted(wanted, call, evidence);
    if (match === undefined || match === false) return [];
    return { at, startMs: call.startMs, endMs: call.endMs, sure: match === true, success: successOf(call) };
  });
}

/** Returns the calls of the first and of the second tool. A call of the first tool succeeds only if its result reports success. */
function bothSteps({ first, second, success }: WantedOrder, evidence: Evidence): [Step[], Step[]] {
  const when = (tool: string) => (success?.tool === tool ? success.arguments! : undefined);
  const secondWhen = when(second.tool);
  return [
    stepsOf(first, evidence, (call) => confirmed(call, evidence, when(first.tool))),
    stepsOf(second, evidence, (call) =>
      secondWhen === undefined ? succeeded(call, evidence) : confirmed(call, evidence, secondWhen),
    ),
  ];
}

const endedBefore = (a: Step, b: Step): boolean =>
  a.endMs !== null && (a.endMs < b.startMs || (a.endMs === b.startMs && a.at < b.at));

const proof = (...steps: (Step | undefined)[]): Proof[] => steps.flatMap((step) => (step ? { toolCall: step.at } : []));
const isDone = ({ sure, success }: Step) => sure && success === true;

function decideBefore(check: Before, evidence: Evidence): Decision {
  const [firsts, seconds] = bothSteps(check, evidence);
  return check.wanted === "second"
    ? decideAfter(check, firsts, seconds, evidence)
    : decideFirst(check, firsts, seconds, evidence);
}

/** Decides whether, before each call of the second tool began, a call of the first tool had ended with success. */
function decideFirst(check: Before, firsts: Step[], seconds: Step[], evidence: Evidence): Decision {
  const [first, second] = [check.first.tool, check.second.tool];
  const done = firsts.find(isDone);
  const doubt = toolDoubt(evidence);
  const early = seconds.filter((step) => !firsts.some((other) => isDone(other) && endedBefore(other, step)));
  const broke = early.find((step) => step.sure && step.success === true);
  const excuse = firsts.find(
    (step) =>
      broke !== undefined &&
      step.startMs <= broke.startMs &&
      (isDone(step) ? step.endMs === null : step.success !== false || !step.sure),
  );
  if (broke !== undefined) {
    const running = firsts.find((step) => isDone(step) && step.startMs <= broke.startMs);
    const reason =
      running === undefined
        ? `${second} was called without a successful call of ${first} before it.`
        : `${second} was called before the call of ${first} had ended.`;
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
    return byAbsence(
      passed(reason, proof(done, seconds[0])),
      evidence,
      doubt,
      seconds.length === 0 ? nameDoubt(second, evidence) : null,
    );
  }
  if (done === undefined) {
    const reason = `${first} was never called with success.`;
    if (firsts.length > 0)
      return inconclusive(`${reason} A call failed, does not report success, or may be another one.`, proof(firsts[0]));
    if (seconds.length === 0) return inconclusive(`Neither ${first} nor ${second} was called.`);
    return unlessDoubted(failed(`${first} was never called.`), doubt, typingDoubt(first, evidence));
  }
  const reason =
    seconds.length > 0
      ? `${first} succeeded before ${second} was called.`
      : `${first} succeeded, and ${second} was not called before it.`;
  return unlessDoubted(
    passed(reason, proof(done, seconds[0])),
    evidence.toolsVisible ? null : doubt,
    unnamedBefore(done, evidence),
    seconds.length === 0 ? nameDoubt(second, evidence) : null,
  );
}

/** Decides whether a call of the second tool succeeded after a call of the first tool had succeeded. */
function decideAfter(check: Before, firsts: Step[], seconds: Step[], evidence: Evidence): Decision {
  const [first, second] = [check.first.tool, check.second.tool];
  const doubt = toolDoubt(evidence);
  const done = firsts.find(isDone);
  const after = seconds.find(
    (step) => isDone(step) && firsts.some((other) => isDone(other) && endedBefore(other, step)),
  );
  if (done && after) return passed(`${second} was called after ${first} succeeded.`, proof(done, after));
  const mayBe = seconds.find((step) =>
    firsts.some((other) => other.success !== false && other.startMs <= step.startMs),
  );
  if (mayBe !== undefined)
    return inconclusive(
      `${second} was called after ${first}, and it is not sure that ${first} had succeeded before and ${second} succeeded.`,
      proof(mayBe),
    );
  const reason =
    seconds.length === 0 ? `${second} was never called.` : `${second} was not called after ${first} succeeded.`;
  return byAbsence(
    failed(reason, proof(done, seconds[0])),
    evidence,
    doubt,
    typingDoubt(first, evidence),
    typingDoubt(second, evidence),
  );
}

function decideNeverAfter(check: NeverAfter, evidence: Evidence): Decision {
  const [firsts, seconds] = bothSteps(check, evidence);
  const [first, second] = [check.first.tool, check.second.tool];
  const broke = seconds.find((step) => step.sure && firsts.some((other) => isDone(other) && endedBefore(other, step)));
  if (broke !== undefined) return failed(`${second} was called after ${first} succeeded.`, proof(firsts[0], broke));
  const mayBe = seconds.find((step) => firsts.some((other) => other.startMs <= step.startMs));
  if (mayBe !== undefined) return inconclusive(`${second} may have been called after ${first}.`, proof(mayBe));
  return byAbsence(
    passed(`${second} was not called after ${first}.`, proof(seconds[0])),
    evidence,
    toolDoubt(evidence),
    nameDoubt(second, evidence),
    seconds.length > 0 ? nameDoubt(first, evidence) : null,
  );
}

const unnamedBefore = ({ startMs }: Step, { toolCalls }: Evidence): string | null =>
  toolCalls.some((call) => call.name === null && call.startMs < startMs)
    ? "The name of an earlier call is not known."
    : null;
