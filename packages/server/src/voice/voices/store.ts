import type { ListedVoice } from "../capabilities/voice-listing.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { VoiceCatalog } from "./rules.ts";

/**
 * Names a stored list of voices. `owner` is the id of an organization with a key, or `deployment`, or `public`. `revision` is the revision
 * of the key with which the voices were listed.
 */
export type CatalogId = { owner: string; provider: string; revision: string; ofOrganization: boolean };

/** Stores the voices that providers listed, for use after a restart and during an outage of a provider. */
export type CatalogStore = {
  find: (id: CatalogId) => Promise<VoiceCatalog | undefined>;
  /** Replaces a stored list of voices. Returns false and stores nothing when the organization's key has changed in the meantime. */
  replace: (id: CatalogId, catalog: VoiceCatalog) => Promise<boolean>;
};

export function createCatalogStore(db: Db, keys: Pick<ProviderKeyStore, "revisionOf">): CatalogStore {
  return {
    async find({ owner, provider, revision }) {
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

    async replace({ owner, provider, revision, ofOrganization }, catalog) {
      const content = {
        revision,
        fetched_at: new Date(catalog.fetchedAtMs).toISOString(),
        cut: catalog.cut ? (1 as const) : (0 as const),
        voices: JSON.stringify(catalog.voices),
      };
      return transaction(db, owner, async (tx) => {
        if (ofOrganization && (await keys.revisionOf(tx, owner, provider)) !== revision) return false;
        await tx
          .insertInto("voice_catalogs")
          .values({ owner, provider, ...content })
          .onConflict((conflict) => conflict.columns(["owner", "provider"]).doUpdateSet(content))
          .execute();
        return true;
      });
    },
  };
}
