import { SILENCE_MS } from "@svc/contract";
import { type Decision, failed, inconclusive, passed, type Proof } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { type ResponseTimes, responseTimes } from "../response-times.ts";
import { unlessDoubted } from "./missing-evidence.ts";
import type { Check } from "./check.ts";

export const respondsWithin = ({ ms, percentile }: Check & { form: "responds_within" }, evidence: Evidence): Decision =>
  timesWithin(responseTimes(evidence), ms, percentile, evidence.partial);

/**
 * Decides on the percentile by nearest rank. Unknown times count once as the slowest and once as the fastest; when the two
 * disagree the decision is inconclusive.
 */
export function timesWithin(
  { times, missing, unanswered, reason: noTimes }: ResponseTimes,
  ms: number,
  percentile: number,
  partial: string | null,
): Decision {
  const slow = times.filter((time) => time.ms > ms).toSorted((a, b) => b.ms - a.ms);
  const count = times.length + missing;
  if (count === 0 && unanswered > 0) return unlessDoubted(failed("The agent answered no turn of the caller."), partial);
  if (times.length === 0) return inconclusive(`No response time is known: ${noTimes ?? "there was no answer."}`);
  const mayBeSlower = count - Math.max(1, Math.ceil((count * percentile) / 100));
  const slowest = times.reduce((a, b) => (b.ms > a.ms ? b : a));
  const reason = `${slow.length} of ${times.length} answers took longer than ${ms} ms; the slowest took ${Math.round(slowest.ms)} ms.`;
  const proofs = turnProofs(slow);
  if (slow.length > mayBeSlower) return failed(reason, proofs);
  const doubt = slow.length + missing > mayBeSlower ? `The times of ${missing} other answers are not known.` : null;
  return unlessDoubted(passed(reason, proofs), doubt, partial);
}

export function noSilenceOver({ ms }: Check & { form: "no_silence_over" }, { measures, partial }: Evidence): Decision {
  const { provenance, reason, samples } = measures.silence;
  if (provenance === "unavailable") return inconclusive(`Silences are not known: ${reason}`);
  const longest = Math.max(0, ...samples.map(({ value }) => value));
  if (longest > ms) return failed(`The longest silence lasted ${Math.round(longest)} ms.`);
  const unmeasured = ms < SILENCE_MS ? `Silences shorter than ${SILENCE_MS} ms are not measured.` : null;
  return unlessDoubted(passed(`No silence lasted longer than ${ms} ms.`), unmeasured, partial);
}

export function stopsWithin({ ms }: Check & { form: "stops_within" }, { measures, partial }: Evidence): Decision {
  const { samples } = measures.yield_latency;
  const interruptions = measures.user_interruptions;
  const noMeasure = interruptions.provenance === "unavailable" ? interruptions.reason : null;
  if (samples.length === 0) return inconclusive(noMeasure ?? "The caller did not interrupt the agent.");
  const slow = samples.filter(({ value }) => value > ms);
  const reason = `${slow.length} of ${samples.length} interruptions went on longer than ${ms} ms.`;
  if (slow.length > 0) return failed(reason, turnProofs(slow));
  const missing =
    interruptions.missing > 0 ? "It is not known whether the agent was interrupted at other times." : null;
  return unlessDoubted(passed(reason, turnProofs(samples)), missing, partial);
}

const turnProofs = (samples: readonly { turn: number | null }[]): Proof[] =>
  samples.flatMap(({ turn }) => (turn === null ? [] : { turn, quote: null }));
