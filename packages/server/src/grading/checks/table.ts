import { type Decision, notGraded } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import type { SuccessConditions } from "../success-conditions.ts";
import type { Broken, Check } from "./check.ts";
import { callsBefore, neverCallsAfter } from "./forms/calls-in-order.ts";
import { callsOnly } from "./forms/calls-only.ts";
import { calls } from "./forms/calls.ts";
import { endsCall, finishesWithin, transfers } from "./forms/endings.ts";
import type { Form } from "./forms/form.ts";
import { handlesError } from "./forms/handles-error.ts";
import { presses } from "./forms/presses.ts";
import { repeatsBack } from "./forms/repeats-back.ts";
import { respondsWithin } from "./forms/responds-within.ts";
import { says } from "./forms/says.ts";
import { noSilenceOver, stopsWithin } from "./forms/silence.ts";
import { predicateOf } from "./grammar/predicate.ts";
import { successWords } from "./wanted-call.ts";

/** The forms of sentences that code can decide. If a sentence matches several forms, the first of them applies. */
const FORM_OF: { [F in Check["form"]]: Form<Check & { form: F }> } = {
  calls,
  calls_before: callsBefore,
  never_calls_after: neverCallsAfter,
  calls_only: callsOnly,
  handles_error: handlesError,
  says,
  repeats_back: repeatsBack,
  presses,
  responds_within: respondsWithin,
  no_silence_over: noSilenceOver,
  stops_within: stopsWithin,
  ends_call: endsCall,
  transfers,
  finishes_within: finishesWithin,
};

/**
 * All forms of sentences that code can decide. The parser, the explanations, the suggestions and docs/behaviors.md are made from this list.
 */
export const FORMS = Object.values(FORM_OF) as unknown as readonly Form[];

export const formOf = ({ form }: Check): Form => FORM_OF[form] as unknown as Form;

/** Returns the check that a sentence describes; undefined for a sentence in no form, which the judge must decide. Never throws. */
export function parseCheck(behavior: string): Check | Broken | undefined {
  const predicate = predicateOf(behavior);
  let broken: Broken | undefined;
  for (const form of FORMS) {
    const check = form.read(predicate);
    if (check !== undefined && check.form !== "unreadable") return check;
    broken ??= check;
  }
  return broken;
}

/**
 * Decides a check. The decision is inconclusive if evidence is missing, for example a measure or a text. It is also inconclusive if the
 * decision depends on the end of the conversation and the agent did not cause the end. Never throws.
 */
export const decide = (check: Check | Broken, evidence: Evidence): Decision =>
  check.form === "unreadable"
    ? notGraded(`The behavior cannot be read: ${check.problem}`)
    : formOf(check).decide(check, evidence);

export function readingOf(check: Check | Broken, succeedsWhen?: SuccessConditions): string {
  if (check.form === "unreadable") return check.problem;
  const { echo, successOf } = formOf(check);
  const tools = [...new Set(successOf?.(check))];
  const conditions = tools.flatMap((tool) => {
    const condition = succeedsWhen?.get(tool);
    return condition === undefined ? [] : successWords(tool, condition);
  });
  return conditions.length === 0 ? echo(check) : `${echo(check).replace(/\.$/, "")}${conditions.join("")}.`;
}

export function suggestionFor(behavior: string): string | null {
  const { never, text } = predicateOf(behavior);
  const near = FORMS.filter(({ nearly }) => nearly.test(text)).flatMap(({ examples }) => examples);
  const words = wordsOf(text);
  const alike = near.filter((example) => predicateOf(example).never === never);
  const [best] = (alike.length > 0 ? alike : near).toSorted((a, b) => likeness(b, words) - likeness(a, words));
  return best ?? null;
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z]+(?:_\w+)?|=|"|\//g));

function likeness(example: string, words: ReadonlySet<string>): number {
  const own = [...wordsOf(predicateOf(example).text)];
  const shared = own.filter((word) => words.has(word) && word !== "the").length;
  return shared - (own.length - shared) / 4;
}
