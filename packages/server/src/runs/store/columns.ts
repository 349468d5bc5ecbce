import { sql } from "kysely";
import type { SimulationRow } from "../rules.ts";

/** Every column of a simulation except its lease, and its transcript, which may be large. */
export const SUMMARY = [
  "id",
  "run_id",
  "project_id",
  "test_id",
  "test_version_id",
  "test_name",
  "persona_id",
  "persona_version_id",
  "persona_name",
  "iteration",
  "behavior_count",
  "status",
  "attempt",
  "stalled_attempts",
  "ending_reason",
  "message",
  "turn_count",
  "trace_id",
  "spans_written",
  "grading",
  "gradings",
  "verdict",
  "behaviors_graded",
  "veto_reason",
  "texts_erased",
  "created_at",
  "started_at",
  "ended_at",
] as const satisfies readonly (keyof SimulationRow)[];

/** Written exactly like the conditions of the partial indexes: with a bound value, SQLite would not use the index. */
export const isOpen = sql<boolean>`status IN ('pending', 'running')`;
export const isUnderWay = sql<boolean>`status IN ('claimed', 'running')`;
export const owesVerdict = sql<boolean>`grading <> 'settled' AND status IN ('completed', 'failed')`;
