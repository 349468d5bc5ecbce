import { sql } from "kysely";
import type { SimulationRow } from "../rules.ts";

/** Columns of a simulation except its lease and its transcript. */
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

/** Conditions with the same text as in the partial indexes. With bound values, SQLite would not use the indexes. */
export const isOpen = sql<boolean>`status IN ('pending', 'running')`;
export const isUnderWay = sql<boolean>`status IN ('claimed', 'running')`;
export const owesVerdict = sql<boolean>`grading <> 'settled' AND status IN ('completed', 'failed')`;
