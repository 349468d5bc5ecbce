import type { Selectable } from "kysely";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";

export type SampleRow = Selectable<Schema["samples"]>;

export type SampleStore = {
  find: (projectId: string) => Promise<SampleRow | undefined>;
  put: (sample: SampleRow) => Promise<void>;
};

export function createSampleStore(db: Db): SampleStore {
  return {
    find: (projectId) => db.selectFrom("samples").selectAll().where("project_id", "=", projectId).executeTakeFirst(),

    async put(sample) {
      await db
        .insertInto("samples")
        .values(sample)
        .onConflict((conflict) => conflict.column("project_id").doUpdateSet(sample))
        .execute();
    },
  };
}
