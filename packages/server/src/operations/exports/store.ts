import type { Db } from "../../stores/relational.ts";

/** Oldest first. */
export const listProjects = (db: Db): Promise<{ id: string; number: number }[]> =>
  db.selectFrom("projects").select(["id", "number"]).orderBy("number").execute();
