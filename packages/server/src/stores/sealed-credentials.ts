import type { Sealing } from "../base/secrets/sealing.ts";
import type { Db, Embedded } from "./relational.ts";

type ResealCounts = { resealed: number; current: number; unreadable: number };

/** Encrypted secrets for other services, at most one for each record. They are decrypted only in memory. */
export type SealedCredentials = {
  /** Encrypts and stores the record's secret; replaces an earlier secret. Returns the hint: the last 4 characters of `shown`. */
  put: (tx: Db, owner: { id: string; organizationId: string }, secret: string, shown: string) => Promise<string>;
  /**
   * Returns the record's secret, read in the transaction `tx` if it is given. Returns undefined if the record has no secret, or if
   * the service does not have the key that encrypted it.
   */
  open: (ownerId: string, tx?: Db) => Promise<string | undefined>;
  /** Returns the hints of the records that have a secret, read in the transaction `tx` if it is given. */
  hints: (ownerIds: readonly string[], tx?: Db) => Promise<Map<string, string>>;
  remove: (tx: Db, ownerId: string) => Promise<void>;
  /**
   * Encrypts the organization's secrets again with the newest key, and counts the secrets. Skips secrets that are replaced meanwhile.
   */
  reseal: (organizationId: string) => Promise<ResealCounts>;
};

const HINT_CHARACTERS = 4;

export const countUnreadable = (envelopes: readonly string[], sealing: Sealing): number =>
  envelopes.filter((envelope) => !sealing.hasKeyOf(envelope)).length;

export async function readEnvelopes(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("sealed_credentials").select("envelope").execute();
  return rows.map(({ envelope }) => envelope);
}

/** Returns all encrypted secrets. The database may have the schema of an older version. */
export const envelopesIn = (engine: Embedded["engine"]): string[] =>
  engine.prepare<[], string>("SELECT envelope FROM sealed_credentials").pluck().all();

export function createSealedCredentials(db: Db, sealing: Sealing): SealedCredentials {
  return {
    async put(tx, owner, secret, shown) {
      const sealed = {
        envelope: sealing.seal(secret, owner.id),
        hint: shown.slice(-HINT_CHARACTERS),
        sealed_at: new Date().toISOString(),
      };
      await tx
        .insertInto("sealed_credentials")
        .values({ owner_id: owner.id, organization_id: owner.organizationId, ...sealed })
        .onConflict((conflict) => conflict.column("owner_id").doUpdateSet(sealed))
        .execute();
      return sealed.hint;
    },

    async open(ownerId, tx = db) {
      const row = await tx
        .selectFrom("sealed_credentials")
        .select("envelope")
        .where("owner_id", "=", ownerId)
        .executeTakeFirst();
      return row && sealing.open(row.envelope, ownerId);
    },

    async hints(ownerIds, tx = db) {
      if (ownerIds.length === 0) return new Map();
      const rows = await tx
        .selectFrom("sealed_credentials")
        .select(["owner_id", "hint"])
        .where("owner_id", "in", ownerIds)
        .execute();
      return new Map(rows.map((row) => [row.owner_id, row.hint]));
    },

    async remove(tx, ownerId) {
      await tx.deleteFrom("sealed_credentials").where("owner_id", "=", ownerId).execute();
    },

    async reseal(organizationId) {
      const rows = await db
        .selectFrom("sealed_credentials")
        .select(["owner_id", "envelope"])
        .where("organization_id", "=", organizationId)
        .execute();
      const counts = { resealed: 0, current: 0, unreadable: 0 };
      for (const { owner_id, envelope } of rows) {
        const secret = sealing.open(envelope, owner_id);
        if (secret === undefined) {
          counts.unreadable++;
          continue;
        }
        if (sealing.keyIdOf(envelope) === sealing.keyId) {
          counts.current++;
          continue;
        }
        const { numUpdatedRows } = await db
          .updateTable("sealed_credentials")
          .set({ envelope: sealing.seal(secret, owner_id), sealed_at: new Date().toISOString() })
          .where("owner_id", "=", owner_id)
          .where("envelope", "=", envelope)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) counts.resealed++;
        else counts.current++;
      }
      return counts;
    },
  };
}
