import type { Sealing } from "../sealing.ts";
import type { Db } from "./relational.ts";

export type SealedCredentials = ReturnType<typeof openSealedCredentials>;
type Resealed = { resealed: number; current: number; unreadable: number };

const HINT_CHARACTERS = 4;

/** Secrets of other services, one for the record that owns it; in clear they are in memory only. */
export function openSealedCredentials(db: Db, sealing: Sealing) {
  return {
    /** Keeps the secret in place of the owner's former one; `shown` is the part whose last four characters are its hint. */
    async put(tx: Db, owner: { id: string; organizationId: string }, secret: string, shown: string): Promise<void> {
      const kept = {
        envelope: sealing.seal(secret, owner.id),
        hint: shown.slice(-HINT_CHARACTERS),
        sealed_at: new Date().toISOString(),
      };
      await tx
        .insertInto("sealed_credentials")
        .values({ owner_id: owner.id, organization_id: owner.organizationId, ...kept })
        .onConflict((conflict) => conflict.column("owner_id").doUpdateSet(kept))
        .execute();
    },

    /** Undefined when the owner has none, or when it was sealed by a key that the service no longer holds. */
    async open(ownerId: string): Promise<string | undefined> {
      const row = await db
        .selectFrom("sealed_credentials")
        .select("envelope")
        .where("owner_id", "=", ownerId)
        .executeTakeFirst();
      return row && sealing.open(row.envelope, ownerId);
    },

    /** Returns the hint of each owner that has a secret. */
    async hints(ownerIds: readonly string[]): Promise<Map<string, string>> {
      if (ownerIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("sealed_credentials")
        .select(["owner_id", "hint"])
        .where("owner_id", "in", ownerIds)
        .execute();
      return new Map(rows.map((row) => [row.owner_id, row.hint]));
    },

    async remove(tx: Db, ownerId: string): Promise<void> {
      await tx.deleteFrom("sealed_credentials").where("owner_id", "=", ownerId).execute();
    },

    /** Seals with the newest key what an older one sealed; one that was replaced meanwhile is left alone. */
    async reseal(organizationId: string): Promise<Resealed> {
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
