import { every } from "../../base/async/every.ts";
import { leasesOn } from "../../stores/lease.ts";
import { type Db, isStoreUnavailable } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";

const LEASE_MS = 30_000;
const RENEWALS = 3;

/** The accounts of all processes of one database at which a call is awaited. */
export type WaitingAccounts = {
  /** Takes the account and returns the function that frees it. Returns undefined while another holder has it. */
  take: (organizationId: string, account: string, holderId: string) => Promise<(() => Promise<void>) | undefined>;
  isTaken: (organizationId: string, account: string) => Promise<boolean>;
};

/** When a process ends before it frees its account, the account becomes free at the end of its lease. */
export function createWaitingAccounts(db: Db, logFault: (error: unknown) => void): WaitingAccounts {
  const { until, isFree } = leasesOn(db);
  const rowOf = (organizationId: string, account: string) =>
    db
      .selectFrom("waiting_accounts")
      .select("holder_id")
      .where("organization_id", "=", organizationId)
      .where("account", "=", account)
      .where((row) => row.not(isFree("leased_until_ms")));

  async function giveBack(holderId: string): Promise<void> {
    try {
      await db.deleteFrom("waiting_accounts").where("holder_id", "=", holderId).execute();
    } catch (error) {
      // The lease frees the account later. The error must not replace the result of the call.
      if (!isStoreUnavailable(error)) throw error;
    }
  }

  return {
    async take(organizationId, account, holderId) {
      const isTaken = await transaction(db, `waiting accounts of ${organizationId}`, async (tx) => {
        await tx.deleteFrom("waiting_accounts").where(isFree("leased_until_ms")).execute();
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto("waiting_accounts")
          .values({ organization_id: organizationId, account, holder_id: holderId, leased_until_ms: until(LEASE_MS) })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        return Number(numInsertedOrUpdatedRows) === 1;
      });
      if (!isTaken) return undefined;
      const over = new AbortController();
      every(
        LEASE_MS / RENEWALS,
        async () => {
          await db
            .updateTable("waiting_accounts")
            .set({ leased_until_ms: until(LEASE_MS) })
            .where("holder_id", "=", holderId)
            .execute();
        },
        over.signal,
        logFault,
      );
      return async () => {
        over.abort();
        await giveBack(holderId);
      };
    },
    isTaken: async (organizationId, account) => (await rowOf(organizationId, account).executeTakeFirst()) !== undefined,
  };
}
