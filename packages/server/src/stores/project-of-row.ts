import type { Db } from "./relational.ts";

type Table =
  | "suites"
  | "tests"
  | "personas"
  | "graders"
  | "mock_tools"
  | "agents"
  | "trunks"
  | "runs"
  | "schedules"
  | "simulations"
  | "destinations"
  | "alert_rules"
  | "alerts"
  | "review_items"
  | "failure_groups"
  | "saved_views";

/** Returns the id of the project that owns the row, as a list with one item. The list is empty if no row has this id. */
export async function projectOfRow(db: Db, table: Table, id: string): Promise<string[]> {
  const rows = await db.selectFrom(table).select("project_id").where("id", "=", id).execute();
  return rows.map(({ project_id }) => project_id);
}
