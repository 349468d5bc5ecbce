import type { ListedVoice } from "../capabilities/voice-listing.ts";
import type { Db } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import type { Catalog } from "./rules.ts";

/** Whose list it is: an organization's by its own key, the deployment's or the public one; `revision` names the key. */
export type CatalogId = { owner: string; provider: string; revision: string; ofOrganization: boolean };
export type CatalogStore = ReturnType<typeof openCatalogStore>;

/** The last list of each owner and provider, for a restart and for when the provider is down. */
export function openCatalogStore(db: Db) {
  return {
    async find({ owner, provider, revision }: CatalogId): Promise<Catalog | undefined> {
      const row = await db
        .selectFrom("voice_catalogs")
        .select(["voices", "cut", "fetched_at"])
        .where("owner", "=", owner)
        .where("provider", "=", provider)
        .where("revision", "=", revision)
        .executeTakeFirst();
      if (!row) return undefined;
      const voices = JSON.parse(row.voices) as ListedVoice[];
      return { voices, cut: row.cut === 1, fetchedAtMs: Date.parse(row.fetched_at) };
    },

    /** False when the organization's key was replaced or removed meanwhile: then its voices are not kept. */
    async keep({ owner, provider, revision, ofOrganization }: CatalogId, catalog: Catalog): Promise<boolean> {
      return transaction(db, async (tx) => {
        if (ofOrganization) {
          const key = await tx
            .selectFrom("provider_keys")
            .select("revision")
            .where("organization_id", "=", owner)
            .where("provider", "=", provider)
            .executeTakeFirst();
          if (key?.revision !== revision) return false;
        }
        const kept = {
          revision,
          fetched_at: new Date(catalog.fetchedAtMs).toISOString(),
          cut: catalog.cut ? (1 as const) : (0 as const),
          voices: JSON.stringify(catalog.voices),
        };
        await tx
          .insertInto("voice_catalogs")
          .values({ owner, provider, ...kept })
          .onConflict((conflict) => conflict.columns(["owner", "provider"]).doUpdateSet(kept))
          .execute();
        return true;
      });
    },
  };
}
