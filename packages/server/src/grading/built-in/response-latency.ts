import { timesWithin } from "../checks/forms/responds-within.ts";
import { type Decision, notGraded } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { responseTimes } from "../response-times.ts";

/** Longest accepted response time. After 3 s of silence, callers think that the call has broken off. */
const BOUND_MS = 3_000;
const PERCENTILE = 95;

export function responseLatency(evidence: Evidence): Decision {
  const times = responseTimes(evidence);
  if (times.times.length === 0) return notGraded(times.reason ?? "The agent answered no turn of the caller.");
  return timesWithin(times, { ms: BOUND_MS, percentile: PERCENTILE, answersMin: 1 }, evidence.partial);
}
