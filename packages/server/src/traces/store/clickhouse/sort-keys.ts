import type { TraceSort } from "../../rules.ts";

/** Whether the reading covers every span. */
export const IS_READ = "coalesce(read_change = change, false)";

/** Whether the terms of the conversation are missing or older than its newest spans. */
export const LACKS_TERMS = "terms_change IS DISTINCT FROM change";

/** Unknown values sort below all others; so does an end before the start, which happens when a clock is set back. */
export const SORT_KEY: Record<TraceSort["by"], string> = {
  startedAt: "started_ns",
  duration: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
  latency: `coalesce(CASE WHEN ${IS_READ} THEN round(coalesce(latency_mean, text_response_mean)::numeric * 1000)::bigint END, ${-(2n ** 62n)})`,
  lastReceived: "received_last_ms",
};
