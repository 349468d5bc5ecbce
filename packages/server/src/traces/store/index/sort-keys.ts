import { ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import type { TraceSort } from "../../rules.ts";

/** Whether the reading covers every span. */
export const IS_READ = "coalesce(read_change = change, false)";

/**
 * Returns the SQL expressions by which lists are sorted. Unknown values sort below all others. So does a duration whose end is
 * before its start, which happens if a clock is set back.
 */
export const sortKeysOf = (db: Db): Record<TraceSort["by"], string> => ({
  startedAt: "started_ns",
  duration: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
  latency: latencyKey(db, "mean"),
  slowest: latencyKey(db, "max"),
  lastReceived: "received_last_ms",
});

/** Do not change this text: it is part of an index on PostgreSQL, which keeps the text with which it was created. */
function latencyKey(db: Db, statistic: "mean" | "max"): string {
  const ms = `coalesce(latency_${statistic}, text_response_${statistic})`;
  const microseconds = ofEngine(db, {
    sqlite: `CAST(round(${ms} * 1000) AS INTEGER)`,
    postgres: `round(${ms}::numeric * 1000)::bigint`,
  });
  return `coalesce(CASE WHEN ${IS_READ} THEN ${microseconds} END, ${-(2n ** 62n)})`;
}
