import { sha256 } from "../../../base/secrets/secrets.ts";
import { dialectOf } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import {
  FORGOTTEN_AFTER_MS,
  GUESSES_PER_HOUR,
  KNOWN_AGAIN_AFTER_MS,
  KNOWN_FOR_MS,
  STRANGER_WAIT_MS,
  tooManyGuesses,
} from "../attempts.ts";

/**
 * Slows down guesses at one account from many networks. Networks from which somebody signed in to the account before do not have to wait,
 * so that strangers cannot lock out its owner.
 */
export type Guesses = {
  /**
   * Throws `too_many_requests` for an attempt from an unknown network when two conditions are met: the account got too many wrong
   * passwords, and the last attempt from an unknown network was less than `STRANGER_WAIT_MS` ago.
   */
  begin: (account: string, network: string) => Promise<void>;
  /** Counts a wrong password. Returns true only when the count reaches `GUESSES_PER_HOUR`. */
  fail: (account: string) => Promise<boolean>;
  succeed: (account: string, network: string) => Promise<void>;
};

/** All processes share the counter in the table of the attempts, which stores only digests. */
export function createGuesses(db: Db): Guesses {
  const { nowMs } = dialectOf(db);
  const ofAll = (account: string) => sha256(`${account} from all networks`);
  const ofStrangers = (account: string) => sha256(`${account} from unknown networks`);
  const known = (account: string, network: string) => sha256(`${account} known at ${network}`);

  const now = async (tx: Db) => (await tx.selectNoFrom(nowMs.as("now")).executeTakeFirstOrThrow()).now;
  const read = (tx: Db, subject: string) =>
    tx.selectFrom("password_attempts").select(["count", "next_ms"]).where("subject", "=", subject).executeTakeFirst();
  const write = (tx: Db, subject: string, count: number, next_ms: number) =>
    tx
      .insertInto("password_attempts")
      .values({ subject, count, next_ms })
      .onConflict((conflict) => conflict.column("subject").doUpdateSet({ count, next_ms }))
      .execute();

  return {
    async begin(account, network) {
      const all = await read(db, ofAll(account));
      if (all === undefined || all.count < GUESSES_PER_HOUR) return;
      await transaction(db, `guesses ${ofAll(account)}`, async (tx) => {
        const atMs = await now(tx);
        if (atMs > all.next_ms || ((await read(tx, known(account, network)))?.next_ms ?? 0) > atMs) return;
        const last = await read(tx, ofStrangers(account));
        if (last !== undefined && last.next_ms > atMs) throw tooManyGuesses(last.next_ms - atMs);
        await write(tx, ofStrangers(account), 0, atMs + STRANGER_WAIT_MS);
      });
    },

    fail: (account) =>
      transaction(db, `guesses ${ofAll(account)}`, async (tx) => {
        const atMs = await now(tx);
        const earlier = await read(tx, ofAll(account));
        const isOver = earlier === undefined || atMs > earlier.next_ms;
        const count = isOver ? 1 : earlier.count + 1;
        await write(tx, ofAll(account), count, isOver ? atMs + FORGOTTEN_AFTER_MS : earlier.next_ms);
        return count === GUESSES_PER_HOUR;
      }),

    async succeed(account, network) {
      const subject = known(account, network);
      const untilMs = (await now(db)) + KNOWN_FOR_MS;
      // Each write waits for the disk, so a network that has just become known is not written again.
      if (((await read(db, subject))?.next_ms ?? 0) > untilMs - KNOWN_AGAIN_AFTER_MS) return;
      await write(db, subject, 0, untilMs);
    },
  };
}
