import { newId } from "../../base/ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";

export type OrganizationRow = Schema["organizations"];

export type OrganizationStore = {
  get: (id: string) => Promise<OrganizationRow>;
  rename: (id: string, name: string) => Promise<OrganizationRow>;
  /** Returns the oldest organization; undefined before the service has its first account. */
  first: () => Promise<OrganizationRow | undefined>;
};

export function createOrganizationStore(db: Db): OrganizationStore {
  const get = (id: string) => db.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  return {
    get,

    async rename(id, name) {
      const updated_at = new Date().toISOString();
      await db.updateTable("organizations").set({ name, updated_at }).where("id", "=", id).execute();
      return get(id);
    },

    first: () => firstOrganization(db),
  };
}

export const firstOrganization = (db: Db): Promise<OrganizationRow | undefined> =>
  db.selectFrom("organizations").selectAll().orderBy("id").limit(1).executeTakeFirst();

export async function insertOrganization(tx: Db, name: string): Promise<OrganizationRow> {
  const now = new Date().toISOString();
  const organization = { id: newId("org"), name, created_at: now, updated_at: now };
  await tx.insertInto("organizations").values(organization).execute();
  return organization;
}
