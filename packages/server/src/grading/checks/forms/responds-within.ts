import { isClosing } from "../../absence.ts";
import { type Decision, failed, inconclusive, passed, type Proof } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import { type ResponseTimes, responseTimes } from "../../response-times.ts";
import type { Check } from "../check.ts";
import { heardWords, withoutHeard } from "../grammar/as-heard.ts";
import { DURATION, msOf, WITHIN } from "../grammar/quantity.ts";
import { unlessDoubted } from "../missing-evidence.ts";
import type { Form } from "./form.ts";

type RespondsWithin = Check & { form: "responds_within" };

/** A percentile below 95 is decided only with at least this many answers. */
const ANSWERS_MIN = 10;

const PERCENTILE = "p50|p90|p95|p99|median";
const LIMIT =
  "(?:is|stays|must\\s+be|should\\s+be)?\\s*(?:at\\s+most|no\\s+more\\s+than|(?<below>under|below|less\\s+than))";
const SENTENCES = [
  `(?:responds?|answers?|repl(?:y|ies))(?:\\s+to\\s+the\\s+caller)?\\s+${WITHIN}\\s+${DURATION}(?:\\s+(?:at\\s+)?\\(?(?<percentile>${PERCENTILE})\\)?|\\s+(?:on|for|in)\\s+(?<share>\\d{1,2})\\s*%\\s+of\\s+(?:the\\s+)?(?:turns|answers|responses|replies))?`,
  `every\\s+(?:reply|answer|response)\\s+(?:should\\s+|must\\s+)?(?:(?:starts?|comes?|begins?)\\s+)?${WITHIN}\\s+${DURATION}`,
  `(?:the\\s+)?(?<percentile>${PERCENTILE})\\s+(?:response\\s+)?(?:time|latency)\\s+${LIMIT}\\s+${DURATION}`,
  `(?<share>\\d{1,2})\\s*%\\s+of\\s+(?:the\\s+)?(?:answers|responses|replies)\\s+(?:come|arrive|start)\\s+${WITHIN}\\s+${DURATION}`,
].map((sentence) => new RegExp(`^${sentence}$`, "i"));

const LONGER = new RegExp(`^takes?\\s+(?:longer|more)\\s+than\\s+${DURATION}\\s+to\\s+(?:answer|respond|reply)$`, "i");

export const respondsWithin: Form<RespondsWithin> = {
  name: "responds_within",
  title: "answers in time",
  examples: [
    "responds within 1500 ms p95",
    "responds within 2 s",
    "replies in under 2 seconds",
    "never takes longer than 4 s to answer",
    "responds within 1 s median",
    "p95 latency is under 2000 ms",
    "responds within 1500 ms p95 as heard",
  ],
  reads:
    'the time of each answer, and the caller\'s turns without an answer, which count as never answered. An answer that starts before the caller has ended is overlapped: it has no time, and counts neither as quick nor as slow. In a call that the service placed, the time is the one that the caller hears; elsewhere it is the reported or measured one, and a sentence with "as heard" has no time',
  unsure:
    "times are missing, more answers are overlapped than not, the caller spoke last without a farewell, or a percentile has too few answers: p50 and p90 need 10, p95 needs 20, p99 needs 100",
  judgeCanTell: false,
  nearly:
    /^(?:responds?|answers?|repl(?:y|ies)|every\s+(?:reply|answer|response))\b[^]*\b(?:\d|second|time)|\b(?:latency|response\s+time)\b/i,
  needsSound: ({ heard }) => heard === true,
  read({ never, text: sentence }) {
    const { text, isHeard } = withoutHeard(sentence);
    const heard = isHeard && { heard: true };
    const longer = never ? LONGER.exec(text)?.groups : undefined;
    if (longer !== undefined) return { form: "responds_within", ms: msOf(longer), percentile: 100, ...heard };
    const groups = SENTENCES.map((sentence) => sentence.exec(text)?.groups).find((found) => found !== undefined);
    if (never || groups === undefined) return undefined;
    const isUnder = groups["under"] !== undefined || groups["below"] !== undefined;
    return {
      form: "responds_within",
      ms: msOf(groups),
      percentile: percentileOf(groups),
      ...(isUnder && { under: true }),
      ...heard,
    };
  },
  echo({ ms, percentile, under, heard }) {
    const time = `${under ? "in less than" : "within"} ${ms} ms${heardWords(heard)}`;
    return percentile === 100
      ? `The agent answers every turn of the caller ${time}.`
      : `The agent answers ${percentile} % of the caller's turns ${time}.`;
  },
  decide({ ms, percentile, under, heard }, evidence) {
    const limit = { ms, percentile, under, answersMin: answersMin(percentile) };
    const decision = timesWithin(responseTimes(evidence, heard), limit, evidence.partial);
    return decision.verdict === "passed" ? unlessDoubted(decision, openEnd(evidence)) : decision;
  },
};

function openEnd({ turns }: Evidence): string | null {
  const last = turns.at(-1);
  if (last === undefined || last.speaker !== "caller") return null;
  return isClosing(last.text) ? null : "The caller spoke last, and may have waited for an answer.";
}

function percentileOf({ percentile, share }: Record<string, string | undefined>): number {
  if (share !== undefined) return Number(share);
  if (percentile === undefined) return 100;
  return percentile.toLowerCase() === "median" ? 50 : Number(percentile.slice(1));
}

const answersMin = (percentile: number): number =>
  percentile >= 100 ? 1 : Math.max(ANSWERS_MIN, Math.round(100 / (100 - percentile)));

type Limit = { ms: number; percentile: number; under?: boolean | undefined; answersMin: number };

/**
 * Decides whether enough response times are within the limit. The percentile is by nearest rank. An unanswered turn counts as too slow. The
 * decision is made with all unknown times as the slowest, and again with all as the fastest; if the two differ, it is inconclusive. An
 * answer that begins while the caller speaks does not count; if most answers do, a pass becomes inconclusive.
 */
export function timesWithin(
  { times, missing, overlapped, unanswered, source, reason: noTimes }: ResponseTimes,
  { ms, percentile, under, answersMin: least }: Limit,
  partial: string | null,
): Decision {
  const slow = times.filter((time) => (under ? time.ms >= ms : time.ms > ms)).toSorted((a, b) => b.ms - a.ms);
  const known = times.length + unanswered.length;
  const count = known + missing;
  const bad = slow.length + unanswered.length;
  const allowed = (of: number) => of - Math.max(1, Math.ceil((of * percentile) / 100));
  const proofs = turnProofs([...slow, ...unanswered.map((turn) => ({ turn }))]);
  if (times.length === 0 && unanswered.length > 0)
    return unlessDoubted(failed("The agent answered no turn of the caller.", proofs), partial);
  if (times.length === 0) return inconclusive(`No response time is known: ${noTimes ?? "there was no answer."}`);
  const slowest = times.reduce((a, b) => (b.ms > a.ms ? b : a));
  const silent = unanswered.length === 0 ? "" : ` ${unanswered.length} of the caller's turns got no answer.`;
  const early =
    overlapped.length === 0 ? "" : ` Answers without a time, because they overlap the caller: ${overlapped.length}.`;
  const reason = `${slow.length} of ${times.length} answers took ${under ? `${ms} ms or longer` : `longer than ${ms} ms`}; the slowest took ${Math.round(slowest.ms)} ms${source}.${silent}${early}`;
  if (bad > allowed(Math.max(count, least))) return failed(reason, proofs);
  const tooFew = count < least ? `${count} answers are too few for p${percentile}, which needs ${least}.` : null;
  const doubt = bad + missing > allowed(count) ? `The times of ${missing} other answers are not known.` : null;
  const mostlyEarly =
    overlapped.length > times.length ? "The agent started most of its answers before the caller had ended." : null;
  return unlessDoubted(passed(reason, proofs), tooFew, doubt, mostlyEarly, partial);
}

export const turnProofs = (samples: readonly { turn: number | null; at?: string }[]): Proof[] =>
  samples.flatMap(({ turn, at }) => (turn === null ? [] : { turn, quote: null, ...(at !== undefined && { at }) }));
