import { sql } from "kysely";
import { sha256 } from "../../secrets.ts";
import { postgresNowMs } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { type Attempts, FORGOTTEN_AFTER_MS, tooManyPasswords, waitMs } from "../attempts.ts";

/** Creates the attempts at all processes on one database, which holds digests of the subjects. */
export function createSharedAttempts(db: Db): Attempts {
  let removedAt = performance.now();

  async function removeForgotten(): Promise<void> {
    if (performance.now() - removedAt < FORGOTTEN_AFTER_MS) return;
    removedAt = performance.now();
    await sql`DELETE FROM password_attempts WHERE next_ms < ${postgresNowMs} - ${FORGOTTEN_AFTER_MS}`.execute(db);
  }

  return {
    async begin(name) {
      await removeForgotten();
      const subject = sha256(name);
      const leftMs = await transaction(db, `password attempts ${subject}`, async (tx) => {
        const { rows } = await sql<{ now: number }>`SELECT ${postgresNowMs} AS now`.execute(tx);
        const { now } = rows[0]!;
        const earlier = await tx
          .selectFrom("password_attempts")
          .select(["count", "next_ms"])
          .where("subject", "=", subject)
          .executeTakeFirst();
        if (earlier !== undefined && now < earlier.next_ms) return earlier.next_ms - now;
        const isForgotten = earlier === undefined || now - earlier.next_ms > FORGOTTEN_AFTER_MS;
        const count = isForgotten ? 1 : earlier.count + 1;
        const attempts = { count, next_ms: now + waitMs(count) };
        await tx
          .insertInto("password_attempts")
          .values({ subject, ...attempts })
          .onConflict((conflict) => conflict.column("subject").doUpdateSet(attempts))
          .execute();
        return 0;
      });
      if (leftMs > 0) throw tooManyPasswords(leftMs);
    },
    async succeed(name) {
      await db.deleteFrom("password_attempts").where("subject", "=", sha256(name)).execute();
    },
  };
}
