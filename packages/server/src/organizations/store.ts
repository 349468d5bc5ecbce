import { newId } from "../ids.ts";
import type { Db } from "../stores/relational.ts";

export type OrganizationStore = ReturnType<typeof openOrganizationStore>;

export function openOrganizationStore(db: Db) {
  const get = (id: string) => db.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  return {
    get,

    async rename(id: string, name: string) {
      await db
        .updateTable("organizations")
        .set({ name, updated_at: new Date().toISOString() })
        .where("id", "=", id)
        .execute();
      return get(id);
    },

    /** The instance is claimed once it has an organization. */
    async first() {
      return db.selectFrom("organizations").selectAll().orderBy("id").limit(1).executeTakeFirst();
    },
  };
}

export async function insertOrganization(tx: Db, name: string) {
  const now = new Date().toISOString();
  const organization = { id: newId("org"), name, created_at: now, updated_at: now };
  await tx.insertInto("organizations").values(organization).execute();
  return organization;
}
