import { sql } from "kysely";
import type { Db } from "./relational.ts";

/** Advisory lock that every process of a service holds, in shared mode, while the process is connected to its database. */
const LOCK = "hashtextextended('svc serves ' || current_schema(), 0)";

export const TAKE_SERVING_LOCK = `SELECT pg_advisory_lock_shared(${LOCK})`;

export const isServed = (db: Db): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(${sql.raw(LOCK)}) AS free`.execute(
      tx,
    );
    return !rows[0]!.free;
  });
