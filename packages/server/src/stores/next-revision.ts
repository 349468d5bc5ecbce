import { sql } from "kysely";

/** The revision of a record after a change, for the `set` of an update. */
export const nextRevision = sql<number>`revision + 1`;
