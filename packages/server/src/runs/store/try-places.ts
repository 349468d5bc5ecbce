import { randomUUID } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { leasesOn } from "../../stores/lease.ts";
import { type Db, isStoreUnavailable } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";

/** Longer than a try, which a stall of its service can prolong. */
const LEASE_MS = 3 * LIMITS.connectionTrySeconds * 1_000;

/** The tries of organizations that are under way, at all processes on the store. */
type TryPlaces = {
  /** Takes one of the organization's places and returns the function that gives it back; undefined while none is free. */
  take: (organizationId: string) => Promise<(() => Promise<void>) | undefined>;
};

/** Creates the places. A lease frees each place that is not given back. */
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
    // The place becomes free when its lease ends. The try keeps its answer.
    if (!isStoreUnavailable(error)) throw error;
  }
}
