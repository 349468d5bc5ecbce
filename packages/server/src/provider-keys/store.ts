import { sql } from "kysely";
import { notFound } from "../errors.ts";
import { newToken } from "../secrets.ts";
import type { Db } from "../stores/relational.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import { transaction } from "../stores/transaction.ts";
import { type KeyToKeep, ownerOf, type ProviderKeyRow } from "./rules.ts";

export type ProviderKeyStore = ReturnType<typeof openProviderKeyStore>;

/** A key that is kept; `apiKey` is undefined when the service no longer holds what opens it. */
type KeptKey = { apiKey: string | undefined; region: string | undefined; revision: string };

export function openProviderKeyStore(db: Db, sealed: SealedCredentials) {
  const keysOf = (tx: Db, organizationId: string) =>
    tx
      .selectFrom("provider_keys as k")
      .innerJoin("sealed_credentials as s", (join) =>
        join.on("s.owner_id", "=", sql<string>`k.organization_id || '/' || k.provider`),
      )
      .selectAll("k")
      .select("s.hint")
      .where("k.organization_id", "=", organizationId);

  return {
    list: (organizationId: string): Promise<ProviderKeyRow[]> =>
      keysOf(db, organizationId).orderBy("provider").execute(),

    /** Keeps the key in place of the former one, whose voices go in the same step. */
    async set(organizationId: string, { provider, apiKey, region }: KeyToKeep): Promise<ProviderKeyRow> {
      const now = new Date().toISOString();
      const kept = { region, revision: newToken(), updated_at: now };
      return transaction(db, async (tx) => {
        await tx
          .insertInto("provider_keys")
          .values({ organization_id: organizationId, provider, created_at: now, ...kept })
          .onConflict((conflict) => conflict.columns(["organization_id", "provider"]).doUpdateSet(kept))
          .execute();
        await sealed.put(tx, { id: ownerOf(organizationId, provider), organizationId }, apiKey, apiKey);
        return keysOf(tx, organizationId).where("provider", "=", provider).executeTakeFirstOrThrow();
      });
    },

    async remove(organizationId: string, provider: string): Promise<void> {
      await transaction(db, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom("provider_keys")
          .where("organization_id", "=", organizationId)
          .where("provider", "=", provider)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw notFound();
        await sealed.remove(tx, ownerOf(organizationId, provider));
      });
    },

    /** The key in clear, for a call to its provider. */
    async open(organizationId: string, provider: string): Promise<KeptKey | undefined> {
      const row = await db
        .selectFrom("provider_keys")
        .select(["region", "revision"])
        .where("organization_id", "=", organizationId)
        .where("provider", "=", provider)
        .executeTakeFirst();
      if (!row) return undefined;
      const apiKey = await sealed.open(ownerOf(organizationId, provider));
      return { apiKey, region: row.region ?? undefined, revision: row.revision };
    },
  };
}
