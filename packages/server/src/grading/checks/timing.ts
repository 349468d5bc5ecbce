import { SILENCE_MS } from "@svc/contract";
import { type Decision, failed, inconclusive, passed, type Proof } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { type ResponseTimes, responseTimes } from "../response-times.ts";
import { ifAllKnown } from "./absent.ts";
import type { Check } from "./check.ts";

export const respondsWithin = ({ ms, percentile }: Check & { form: "responds_within" }, evidence: Evidence): Decision =>
  timesWithin(responseTimes(evidence), ms, percentile, evidence.partial);

/**
 * By nearest rank: so many of the answers may be slower. Times that are not known are taken for the slowest and for the
 * fastest, and only where both agree is it decided.
 */
export function timesWithin(
  { times, missing, unanswered, reason }: ResponseTimes,
  ms: number,
  percentile: number,
  partial: string | null,
): Decision {
  const slow = times.filter((time) => time.ms > ms).toSorted((a, b) => b.ms - a.ms);
  const count = times.length + missing;
  if (count === 0 && unanswered > 0) return ifAllKnown(failed("The agent answered no turn of the caller."), partial);
  if (times.length === 0) return inconclusive(`No response time is known: ${reason ?? "there was no answer."}`);
  const mayBeSlower = count - Math.max(1, Math.ceil((count * percentile) / 100));
  const slowest = times.reduce((a, b) => (b.ms > a.ms ? b : a));
  const told = `${slow.length} of ${times.length} answers took longer than ${ms} ms; the slowest took ${Math.round(slowest.ms)} ms.`;
  const proofs = turnProofs(slow);
  if (slow.length > mayBeSlower) return failed(told, proofs);
  const unknown = slow.length + missing > mayBeSlower ? `The time of ${missing} more is not known.` : null;
  return ifAllKnown(passed(told, proofs), unknown, partial);
}

/** Shorter silences than these are not measured. */
export function noSilenceOver({ ms }: Check & { form: "no_silence_over" }, { measures, partial }: Evidence): Decision {
  const { provenance, reason, samples } = measures.silence;
  if (provenance === "unavailable") return inconclusive(`Silences are not known: ${reason}`);
  const longest = Math.max(0, ...samples.map(({ value }) => value));
  if (longest > ms) return failed(`The longest silence lasted ${Math.round(longest)} ms.`);
  const unmeasured = ms < SILENCE_MS ? `Silences are measured from ${SILENCE_MS} ms on.` : null;
  return ifAllKnown(passed(`No silence lasted longer than ${ms} ms.`), unmeasured, partial);
}

export function stopsWithin({ ms }: Check & { form: "stops_within" }, { measures, partial }: Evidence): Decision {
  const { samples } = measures.yield_latency;
  const interruptions = measures.user_interruptions;
  const unknown = interruptions.provenance === "unavailable" ? interruptions.reason : null;
  if (samples.length === 0) return inconclusive(unknown ?? "The caller did not interrupt the agent.");
  const slow = samples.filter(({ value }) => value > ms);
  const told = `${slow.length} of ${samples.length} interruptions went on longer than ${ms} ms.`;
  if (slow.length > 0) return failed(told, turnProofs(slow));
  const missing = interruptions.missing > 0 ? "Whether the agent was interrupted elsewhere is not known." : null;
  return ifAllKnown(passed(told, turnProofs(samples)), missing, partial);
}

const turnProofs = (samples: readonly { turn: number | null }[]): Proof[] =>
  samples.flatMap(({ turn }) => (turn === null ? [] : { turn, quote: null }));
