import { randomUUID } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { leasesOn } from "../../stores/lease.ts";
import { type Db, isStoreUnavailable } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";

/** Length of a lease, longer than a try. A stall of the service can prolong a try. */
const LEASE_MS =
  3_000 *
  (LIMITS.connectionTrySeconds + LIMITS.connectionTryFurtherMessages * LIMITS.connectionTrySecondsPerFurtherMessage);

/** Limit of an organization's connection tries in progress, across all processes of one database. */
type TryPlaces = {
  /** Reserves a place of the organization and returns the function that frees it. Returns undefined when no place is free. */
  take: (organizationId: string) => Promise<(() => Promise<void>) | undefined>;
};

/** When a process ends before it frees its place, the place becomes free at the end of its lease. */
export function createTryPlaces(db: Db): TryPlaces {
  const { until, isFree } = leasesOn(db);

  return {
    take: (organizationId) =>
      transaction(db, `tries of ${organizationId}`, async (tx) => {
        await tx.deleteFrom("tries_under_way").where(isFree("leased_until_ms")).execute();
        const { tries } = await tx
          .selectFrom("tries_under_way")
          .select((row) => row.fn.countAll<number>().as("tries"))
          .where("organization_id", "=", organizationId)
          .executeTakeFirstOrThrow();
        if (tries >= LIMITS.connectionTriesAtOnce) return undefined;
        const id = randomUUID();
        await tx
          .insertInto("tries_under_way")
          .values({ id, organization_id: organizationId, leased_until_ms: until(LEASE_MS) })
          .execute();
        return () => giveBack(db, id);
      }),
  };
}

async function giveBack(db: Db, id: string): Promise<void> {
  try {
    await db.deleteFrom("tries_under_way").where("id", "=", id).execute();
  } catch (error) {
    // The lease frees the place later. The error must not replace the result of the try.
    if (!isStoreUnavailable(error)) throw error;
  }
}
