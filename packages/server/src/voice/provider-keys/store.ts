import type { KeyProvider } from "@svc/contract";
import { notFound } from "../../base/errors.ts";
import { newToken } from "../../base/secrets/secrets.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";

export type ProviderKeyRow = Schema["provider_keys"] & { hint: string };

export type ProviderKeyInput = { provider: KeyProvider; apiKey: string; region: string | null };

/** A decrypted API key of a provider. `apiKey` is undefined when the service no longer has the encryption key that sealed it. */
type OpenedKey = { apiKey: string | undefined; region: string | undefined; revision: string };

export type ProviderKeyStore = {
  /** Returns an organization's keys without their secrets, sorted by provider. */
  list: (organizationId: string) => Promise<ProviderKeyRow[]>;
  /** Stores a key in place of the provider's earlier key. The database deletes the voices that the earlier key listed. */
  set: (organizationId: string, key: ProviderKeyInput) => Promise<ProviderKeyRow>;
  /** Deletes a key and the voices that it listed. */
  delete: (organizationId: string, provider: string) => Promise<void>;
  open: (organizationId: string, provider: string) => Promise<OpenedKey | undefined>;
  /** Returns the revision of a key, which changes whenever the key is set; undefined without a key. */
  revisionOf: (tx: Db, organizationId: string, provider: string) => Promise<string | undefined>;
};

export function createProviderKeyStore(db: Db, sealed: SealedCredentials): ProviderKeyStore {
  const rowOf = (tx: Db, organizationId: string, provider: string) =>
    tx
      .selectFrom("provider_keys")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("provider", "=", provider)
      .executeTakeFirst();

  return {
    async list(organizationId) {
      const rows = await db
        .selectFrom("provider_keys")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .orderBy("provider")
        .execute();
      const hints = await sealed.hints(rows.map(({ provider }) => sealedIdOf(organizationId, provider)));
      return rows.flatMap((row) => {
        const hint = hints.get(sealedIdOf(organizationId, row.provider));
        return hint === undefined ? [] : [{ ...row, hint }];
      });
    },

    async set(organizationId, { provider, apiKey, region }) {
      const now = new Date().toISOString();
      const content = { region, revision: newToken(), updated_at: now };
      return transaction(db, organizationId, async (tx) => {
        await tx
          .insertInto("provider_keys")
          .values({ organization_id: organizationId, provider, created_at: now, ...content })
          .onConflict((conflict) => conflict.columns(["organization_id", "provider"]).doUpdateSet(content))
          .execute();
        const hint = await sealed.put(tx, { id: sealedIdOf(organizationId, provider), organizationId }, apiKey, apiKey);
        return { ...(await rowOf(tx, organizationId, provider))!, hint };
      });
    },

    async delete(organizationId, provider) {
      await transaction(db, organizationId, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom("provider_keys")
          .where("organization_id", "=", organizationId)
          .where("provider", "=", provider)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw notFound();
        await sealed.remove(tx, sealedIdOf(organizationId, provider));
      });
    },

    async open(organizationId, provider) {
      const row = await rowOf(db, organizationId, provider);
      if (!row) return undefined;
      const apiKey = await sealed.open(sealedIdOf(organizationId, provider));
      return { apiKey, region: row.region ?? undefined, revision: row.revision };
    },

    revisionOf: async (tx, organizationId, provider) => (await rowOf(tx, organizationId, provider))?.revision,
  };
}

const sealedIdOf = (organizationId: string, provider: string) => `${organizationId}/${provider}`;
