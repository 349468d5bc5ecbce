import { newToken } from "../../base/secrets/secrets.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";

export type LanguageModelRow = Schema["language_models"];
export type StoredLanguageModel = LanguageModelRow & { hint: string | null };

export type LanguageModelInput = Pick<LanguageModelRow, "base_url" | "model" | "price_input" | "price_output"> & {
  /** Undefined: the stored key stays. */
  apiKey: string | undefined;
};

export type LanguageModelStore = {
  find: (organizationId: string) => Promise<LanguageModelRow | undefined>;
  findWithHint: (organizationId: string) => Promise<StoredLanguageModel | undefined>;
  /** Stores what `decide` returns. `decide` gets the model that is stored now. */
  set: (
    organizationId: string,
    decide: (current: LanguageModelRow | undefined) => LanguageModelInput,
  ) => Promise<StoredLanguageModel>;
  delete: (organizationId: string) => Promise<void>;
  /** Returns undefined when the service no longer has the key that encrypted the model's key. */
  openKey: (organizationId: string) => Promise<string | undefined>;
};

export function createLanguageModelStore(db: Db, sealed: SealedCredentials): LanguageModelStore {
  const find = (organizationId: string, tx = db) =>
    tx.selectFrom("language_models").selectAll().where("organization_id", "=", organizationId).executeTakeFirst();

  async function findWithHint(organizationId: string, tx = db): Promise<StoredLanguageModel | undefined> {
    const row = await find(organizationId, tx);
    if (!row) return undefined;
    const sealedId = sealedIdOf(organizationId);
    return { ...row, hint: (await sealed.hints([sealedId], tx)).get(sealedId) ?? null };
  }

  return {
    find: (organizationId) => find(organizationId),
    findWithHint: (organizationId) => findWithHint(organizationId),

    set: (organizationId, decide) =>
      transaction(db, organizationId, async (tx) => {
        const { apiKey, ...columns } = decide(await find(organizationId, tx));
        const now = new Date().toISOString();
        const content = { ...columns, revision: newToken(), updated_at: now };
        await tx
          .insertInto("language_models")
          .values({ organization_id: organizationId, created_at: now, ...content })
          .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(content))
          .execute();
        const owner = { id: sealedIdOf(organizationId), organizationId };
        if (apiKey !== undefined) await sealed.put(tx, owner, apiKey, apiKey);
        return (await findWithHint(organizationId, tx))!;
      }),

    delete: (organizationId) =>
      transaction(db, organizationId, async (tx) => {
        await tx.deleteFrom("language_models").where("organization_id", "=", organizationId).execute();
        await sealed.remove(tx, sealedIdOf(organizationId));
      }),

    openKey: (organizationId) => sealed.open(sealedIdOf(organizationId)),
  };
}

const sealedIdOf = (organizationId: string) => `${organizationId}/language-model`;
