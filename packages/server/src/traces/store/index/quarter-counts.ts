import { QUARTER_MS } from "../../metrics/metric-buckets.ts";
import { IS_READ } from "./sort-keys.ts";

// On SQLite, triggers count conversations by quarters of an hour. A chart of many conversations then reads few rows.

const QUARTER_NS = BigInt(QUARTER_MS) * 1_000_000n;
const NAMES = ["project", "quarter", "source", "has_agent", "agent", "agent_version", "channel"];

/** Whether the conversation has a failed span or, once its tool calls are derived, a failed tool call. */
export const HAS_ERRORS = `CASE WHEN ${IS_READ} THEN coalesce(errors, 0) > 0 ELSE has_errors END`;

/** Returns an expression with its columns taken from the conversation before (OLD) or after (NEW) a change. */
const of = (row: "OLD" | "NEW", expression: string) =>
  expression.replace(
    /\b(read_change|change|errors|has_errors|started_ns|traces|project|source|agent|agent_version|channel)\b/g,
    `${row}.$1`,
  );

const valuesOf = (row: "OLD" | "NEW") =>
  of(
    row,
    `project, started_ns / ${QUARTER_NS}, source, agent IS NOT NULL, coalesce(agent, ''), coalesce(agent_version, ''), coalesce(channel, '')`,
  );
const isCounted = (row: "OLD" | "NEW") => of(row, "traces > 0");
const failed = (row: "OLD" | "NEW") => `coalesce(${of(row, HAS_ERRORS)}, 0)`;
const isOf = (row: "OLD" | "NEW") => `(${NAMES.join(", ")}) = (${valuesOf(row)})`;

const add = `
  INSERT INTO quarter_counts (${NAMES.join(", ")}, conversations, errors)
  SELECT ${valuesOf("NEW")}, 1, ${failed("NEW")} WHERE ${isCounted("NEW")}
  ON CONFLICT DO UPDATE SET conversations = conversations + 1, errors = errors + excluded.errors;`;
const subtract = `
  UPDATE quarter_counts SET conversations = conversations - 1, errors = errors - (${failed("OLD")})
  WHERE ${isCounted("OLD")} AND ${isOf("OLD")};
  DELETE FROM quarter_counts WHERE ${isOf("OLD")} AND conversations = 0;`;

export const QUARTER_COUNTS = [
  `CREATE TABLE IF NOT EXISTS quarter_counts (
    project INTEGER NOT NULL,
    quarter INTEGER NOT NULL,               -- of the start, in quarters of an hour since 1970-01-01 UTC
    source TEXT NOT NULL,
    has_agent INTEGER NOT NULL,
    agent TEXT NOT NULL,
    agent_version TEXT NOT NULL,            -- '' when it is unknown
    channel TEXT NOT NULL,                  -- '' when it is unknown
    conversations INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    PRIMARY KEY (${NAMES.join(", ")})
  ) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS conversation_added AFTER INSERT ON conversations BEGIN ${add} END`,
  `CREATE TRIGGER IF NOT EXISTS conversation_removed AFTER DELETE ON conversations BEGIN ${subtract} END`,
  `CREATE TRIGGER IF NOT EXISTS conversation_changed AFTER UPDATE ON conversations
    WHEN (${valuesOf("OLD")}, ${isCounted("OLD")}, ${failed("OLD")}) IS NOT (${valuesOf("NEW")}, ${isCounted("NEW")}, ${failed("NEW")})
    BEGIN ${subtract} ${add} END`,
];
