import { cutText, type FailedThing, type MeasureName, type ToolError } from "@svc/contract";
import { decidingTurnOf } from "../grading/graders/deciding-words.ts";
import type { FailedConversation, FailedGrade } from "../grading/graders/failed-conversation.ts";
import { parseCheck } from "../grading/checks/table.ts";
import { digestOf, type Wording, wordingOf } from "./similar-rules.ts";

export type Failure = {
  /** Digest of `what`. Failures with different digests are never in one group. */
  whatKey: string;
  what: FailedThing;
  turn: number | null;
  /** The beginning of the failing turn's words; null when the words are unknown. */
  quote: string | null;
  wording: Wording;
};

const QUOTE_CHARACTERS = 300;
const NAME_CHARACTERS = 500;

/** Returns the failures of a conversation: at most `max`, and at most one for each thing that failed. */
export function failuresOf(conversation: FailedConversation, max: number): Failure[] {
  const { grades, ending, isVetoed } = conversation;
  const failures = grades.map((grade) => failureOfGrade(grade, conversation));
  if (ending !== null) failures.push(failure({ kind: "ending", ending }, null, null, null));
  if (isVetoed) failures.push(failure({ kind: "veto" }, null, null, null));
  const first = new Map<string, Failure>();
  for (const each of failures) if (!first.has(each.whatKey)) first.set(each.whatKey, each);
  return [...first.values()].slice(0, max);
}

function failureOfGrade(grade: FailedGrade, { agentName, conversation }: FailedConversation): Failure {
  const { toolCalls } = conversation;
  const call = grade.evidence
    .flatMap(({ toolCall }) => (toolCall === null ? [] : (toolCalls[toolCall] ?? [])))
    .find(({ isError }) => isError === true);
  const what: FailedThing =
    call === undefined ? thingOf(grade) : { kind: "tool", tool: call.name, error: toolErrorOf(call.result) };
  const { turn, words } = decidingTurnOf(grade, conversation);
  return failure(what, turn, words, agentName);
}

/**
 * Kinds of failed things that name the cause by themselves. For these kinds, the words of the failing turn are not compared, because they
 * may be about anything.
 */
export const TELLS_CAUSE = new Set<FailedThing["kind"]>(["tool", "measure", "ending", "veto"]);

function failure(what: FailedThing, turn: number | null, words: string | null, agent: string | null): Failure {
  return {
    whatKey: digestOf(JSON.stringify(sameness(what))),
    what,
    turn,
    quote: words === null ? null : cutText(words.replaceAll(/\s+/g, " ").trim(), QUOTE_CHARACTERS),
    wording: TELLS_CAUSE.has(what.kind) ? "" : wordingOf(words, agent),
  };
}

const MEASURE_OF: Partial<Record<string, MeasureName>> = {
  responds_within: "response_latency",
  stops_within: "yield_latency",
  no_silence_over: "silence",
};
const LATENCY_GRADER = "Response latency";

/** Returns the thing that failed according to a grade whose evidence has no failed tool call. */
function thingOf({ graderId, graderName, criterion, decidedBy }: FailedGrade): FailedThing {
  if (decidedBy === "built_in")
    return criterion === LATENCY_GRADER
      ? { kind: "measure", measure: "response_latency" }
      : { kind: "grader", graderId, name: graderName };
  const check = parseCheck(criterion);
  const measure = MEASURE_OF[check?.form ?? ""];
  if (measure !== undefined) return { kind: "measure", measure };
  // The criterion of a project's grader is the grader's name, unless the grader is a check.
  if (check === undefined && (criterion === graderName || criterion.length > NAME_CHARACTERS))
    return { kind: "grader", graderId, name: graderName };
  return { kind: "behavior", behavior: criterion };
}

/**
 * Returns the value that identifies what failed. A renamed grader keeps its value. Behaviors that differ only in case or spaces have the
 * same value.
 */
function sameness(what: FailedThing): unknown {
  switch (what.kind) {
    case "behavior":
      return [what.kind, what.behavior.toLowerCase().replaceAll(/\s+/g, " ").trim()];
    case "grader":
      return [what.kind, what.graderId];
    default:
      return what;
  }
}

/** Patterns of error texts by kind of error. The first pattern that matches decides the kind. */
const ERRORS: readonly (readonly [ToolError, RegExp])[] = [
  ["timeout", /time[d_ -]?\s?-?out|deadline exceeded|\b(408|504)\b/i],
  ["rate_limited", /rate.?limit|too many requests|\b429\b/i],
  ["not_permitted", /unauthori[sz]ed|forbidden|not (allowed|permitted|authenticated)|permission|\b(401|403)\b/i],
  ["not_found", /not.?found|no such|does not exist|unknown (id|name)|\b404\b/i],
  ["declined", /declin|insufficient|rejected|refused the payment/i],
  ["invalid", /invalid|malformed|missing|required|validation|\b(400|422)\b/i],
  ["unavailable", /unavailable|refused|unreachable|down\b|overload|internal (server )?error|\b5\d\d\b/i],
];
const ERROR_CHARACTERS = 2_000;

export function toolErrorOf(result: unknown): ToolError {
  const text = (typeof result === "string" ? result : (JSON.stringify(result) ?? "")).slice(0, ERROR_CHARACTERS);
  return ERRORS.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
}
