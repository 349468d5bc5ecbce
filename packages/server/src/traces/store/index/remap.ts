import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import { nowMsOf } from "./dialect.ts";
import { inTransaction } from "./transaction.ts";

/** The old turns and measures stay until new ones replace them. */
export const markForRemap = (db: Db, project: number, all: boolean): Promise<number> =>
  inTransaction(db, async (tx) => {
    const isOlder = all ? sql`true` : sql`mapping_version < ${MAPPING_VERSION}`;
    await sql`
      UPDATE conversations SET reread = true, due_ms = coalesce(due_ms, ${nowMsOf(tx)})
      WHERE project = ${project} AND traces > 0 AND NOT reread AND ${isOlder}`.execute(tx);
    const { rows } = await sql<{ remaining: number }>`
      SELECT count(*) AS remaining FROM conversations WHERE project = ${project} AND reread`.execute(tx);
    return rows[0]!.remaining;
  });
