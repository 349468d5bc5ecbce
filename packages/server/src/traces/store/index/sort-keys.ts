import { ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import type { TraceSort } from "../../rules.ts";

/** Whether the reading covers every span. */
export const IS_READ = "coalesce(read_change = change, false)";

/** Returns the keys by which lists are sorted. Unknown values sort below all others; so does an end before the start, which happens when a clock is set back. */
export const sortKeysOf = (db: Db): Record<TraceSort["by"], string> => ({
  startedAt: "started_ns",
  duration: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
  latency: latencyKey(db, "mean"),
  slowest: latencyKey(db, "max"),
  lastReceived: "received_last_ms",
});

/** The text is part of PostgreSQL's index, and stays as it was when the index was made. */
function latencyKey(db: Db, statistic: "mean" | "max"): string {
  const ms = `coalesce(latency_${statistic}, text_response_${statistic})`;
  const microseconds = ofEngine(db, {
    sqlite: `CAST(round(${ms} * 1000) AS INTEGER)`,
    postgres: `round(${ms}::numeric * 1000)::bigint`,
  });
  return `coalesce(CASE WHEN ${IS_READ} THEN ${microseconds} END, ${-(2n ** 62n)})`;
}
