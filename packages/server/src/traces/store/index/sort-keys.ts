import { ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import type { TraceSort } from "../../rules.ts";

/** SQL condition: the derived conversation includes all its spans. */
export const IS_READ = "coalesce(read_change = change, false)";

/**
 * An unknown value sorts below all known values. A duration whose end is before its start, because a clock was set
 * back, counts as unknown.
 */
export const sortKeysOf = (db: Db): Record<TraceSort["by"], string> => ({
  startedAt: "started_ns",
  duration: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
  latency: latencyKey(db, "mean"),
  slowest: latencyKey(db, "max"),
  lastReceived: "received_last_ms",
});

/** Do not change this SQL: existing indexes on PostgreSQL have it, and are not created again. */
function latencyKey(db: Db, statistic: "mean" | "max"): string {
  const ms = `coalesce(latency_${statistic}, text_response_${statistic})`;
  const microseconds = ofEngine(db, {
    sqlite: `CAST(round(${ms} * 1000) AS INTEGER)`,
    postgres: `round(${ms}::numeric * 1000)::bigint`,
  });
  return `coalesce(CASE WHEN ${IS_READ} THEN ${microseconds} END, ${-(2n ** 62n)})`;
}
