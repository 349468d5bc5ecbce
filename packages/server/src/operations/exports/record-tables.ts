import { appendFile, writeFile } from "node:fs/promises";
import { type EXPORT_COLUMNS, type FailedThing, failedThingText } from "@svc/contract";
import { contentOf } from "../../alerts/rules.ts";
import { exportAlertConversations, exportAlertRules, exportAlerts } from "../../alerts/store/exported.ts";
import { exportLabels } from "../../grading/graders/store/labels.ts";
import { exportFailures, exportGroups } from "../../groups/store/exported.ts";
import { exportEvents } from "../../notifications/store/events.ts";
import type { Db } from "../../stores/relational.ts";
import type { ColumnType } from "../../traces/store/trace-store.ts";
import { gradeRows } from "./grade-rows.ts";

/** The exported tables whose rows are in the relational store. */
export type RecordTable = "grades" | "labels" | "alert_rules" | "alerts" | "alert_conversations" | "events" | Groups;
type Groups = "failure_groups" | "failures";

type Row<Table extends RecordTable> = Record<keyof (typeof EXPORT_COLUMNS)[Table], unknown>;
type Exported<Table extends RecordTable> = {
  columns: Record<keyof (typeof EXPORT_COLUMNS)[Table], ColumnType>;
  /** Yields the project's rows page by page. Members that are no column are left out of the file. */
  rows: (db: Db, projectId: string) => AsyncIterable<Row<Table>[]>;
};

const TABLES: { readonly [Table in RecordTable]: Exported<Table> } = {
  grades: {
    columns: {
      id: "VARCHAR",
      source: "VARCHAR",
      conversation: "VARCHAR",
      run_id: "VARCHAR",
      grader_id: "VARCHAR",
      grader_version_id: "VARCHAR",
      grader_name: "VARCHAR",
      criterion: "VARCHAR",
      decided_by: "VARCHAR",
      verdict: "VARCHAR",
      reason: "VARCHAR",
      counts: "BOOLEAN",
      graded_at: "TIMESTAMP",
    },
    rows: gradeRows,
  },
  labels: {
    columns: {
      grade_id: "VARCHAR",
      grader_id: "VARCHAR",
      grader_version_id: "VARCHAR",
      graded: "VARCHAR",
      verdict: "VARCHAR",
      note: "VARCHAR",
      labeled_by: "VARCHAR",
      labeled_at: "TIMESTAMP",
    },
    rows: exportLabels,
  },
  alert_rules: {
    columns: {
      id: "VARCHAR",
      name: "VARCHAR",
      enabled: "BOOLEAN",
      muted_until: "TIMESTAMP",
      content: "VARCHAR",
      created_at: "TIMESTAMP",
      updated_at: "TIMESTAMP",
    },
    rows: (db, projectId) =>
      eachRow(exportAlertRules(db, projectId), (row) => ({
        ...row,
        enabled: row.enabled === 1,
        content: JSON.stringify({ ...contentOf(row), name: row.name }),
      })),
  },
  alerts: {
    columns: {
      id: "VARCHAR",
      alert_rule_id: "VARCHAR",
      rule_name: "VARCHAR",
      agent: "VARCHAR",
      severity: "VARCHAR",
      window_started_at: "TIMESTAMP",
      raised_at: "TIMESTAMP",
      cleared_at: "TIMESTAMP",
      cleared_because: "VARCHAR",
      value: "DOUBLE",
      interval_low: "DOUBLE",
      interval_high: "DOUBLE",
      samples: "BIGINT",
      condition_is: "VARCHAR",
      condition_value: "DOUBLE",
      usual: "DOUBLE",
      unit: "VARCHAR",
      what: "VARCHAR",
      acknowledged_by: "VARCHAR",
      acknowledged_at: "TIMESTAMP",
      note: "VARCHAR",
    },
    rows: exportAlerts,
  },
  alert_conversations: {
    columns: { alert_id: "VARCHAR", place: "UINTEGER", trace_id: "VARCHAR", turn: "UINTEGER", value: "DOUBLE" },
    rows: exportAlertConversations,
  },
  events: {
    columns: { id: "VARCHAR", type: "VARCHAR", at: "TIMESTAMP", data: "VARCHAR" },
    rows: exportEvents,
  },
  failure_groups: {
    columns: {
      id: "VARCHAR",
      what: "VARCHAR",
      what_text: "VARCHAR",
      title: "VARCHAR",
      words: "VARCHAR[]",
      joined_by_meaning: "UINTEGER",
      state: "VARCHAR",
      size: "UINTEGER",
      first_seen_at: "TIMESTAMP",
      last_seen_at: "TIMESTAMP",
      resolved_at: "TIMESTAMP",
      resolved_by: "VARCHAR",
      resolved_except_versions: "VARCHAR[]",
      regressed_at: "TIMESTAMP",
    },
    rows: (db, projectId) =>
      eachRow(exportGroups(db, projectId), (row) => ({
        ...row,
        what_text: failedThingText(JSON.parse(row.what) as FailedThing),
        words: JSON.parse(row.words) as string[],
        resolved_except_versions: JSON.parse(row.resolved_except_versions) as string[],
      })),
  },
  failures: {
    columns: {
      group_id: "VARCHAR",
      source: "VARCHAR",
      trace_id: "VARCHAR",
      run_id: "VARCHAR",
      simulation_id: "VARCHAR",
      agent: "VARCHAR",
      agent_version: "VARCHAR",
      turn: "UINTEGER",
      quote: "VARCHAR",
      started_at: "TIMESTAMP",
    },
    rows: (db, projectId) =>
      eachRow(exportFailures(db, projectId), (row) => ({
        ...row,
        simulation_id: row.source === "simulation" ? row.conversation : null,
      })),
  },
};

async function* eachRow<From, To>(pages: AsyncIterable<From[]>, change: (row: From) => To): AsyncGenerator<To[]> {
  for await (const rows of pages) yield rows.map(change);
}

export const isRecordTable = (table: string): table is RecordTable => Object.hasOwn(TABLES, table);

/** Writes the project's rows to a new file, one JSON object per line. Returns the columns of the table. */
export async function writeRecordLines(
  db: Db,
  projectId: string,
  table: RecordTable,
  file: string,
): Promise<Readonly<Record<string, ColumnType>>> {
  const { columns, rows } = TABLES[table] as Exported<RecordTable>;
  const names = Object.keys(columns);
  await writeFile(file, "", { mode: 0o600, flag: "wx" });
  for await (const page of rows(db, projectId))
    await appendFile(file, page.map((row) => `${JSON.stringify(row, names)}\n`).join(""));
  return columns;
}
