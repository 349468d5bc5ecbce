import type { Context } from "koa";
import type { Sessions } from "../../../access/sessions.ts";
import { AppError } from "../../../base/errors.ts";
import { newId } from "../../../base/ids.ts";
import { newToken, sha256 } from "../../../base/secrets/secrets.ts";
import { ownOrigin } from "../../../http/authenticate.ts";
import type { Db } from "../../../stores/relational.ts";
import type { Schema } from "../../../stores/schema.ts";
import {
  type GivenPasskey,
  type GivenProof,
  type Place,
  challengeIn,
  readNewPasskey,
  readProof,
  refused,
} from "../passkey-proof.ts";

export type PasskeyRow = Schema["passkeys"];

const CHALLENGE_MS = 5 * 60_000;
const PASSKEYS_MAX = 20;

export type Passkeys = {
  list: (userId: string) => Promise<PasskeyRow[]>;
  /** Returns the host name of the request and its allowed origins. A passkey works only at the host name for which it was made. */
  placeOf: (http: Context) => Place;
  /** Creates a challenge. `userId` is null for a sign-in. */
  newChallenge: (userId: string | null) => Promise<string>;
  /** Deletes the challenge of a new passkey. Throws when the challenge is another person's, has expired or was used before. */
  takeNew: (given: GivenPasskey, userId: string) => Promise<void>;
  add: (tx: Db, owner: { userId: string; name: string }, given: GivenPasskey, place: Place) => Promise<PasskeyRow>;
  /** Returns the person whose passkey signed a challenge, and deletes the challenge. Throws when the signature is invalid. */
  holderOf: (given: GivenProof, place: Place) => Promise<string>;
  remove: (tx: Db, userId: string, id: string) => Promise<boolean>;
};

export function createPasskeys(db: Db, sessions: Pick<Sessions, "origins">): Passkeys {
  /** Deletes a challenge. Throws when the challenge is unknown, has expired or was created for another purpose. */
  async function take(challenge: string, userId: string | null): Promise<void> {
    const row = await db
      .deleteFrom("passkey_challenges")
      .where("challenge_sha256", "=", sha256(challenge))
      .returningAll()
      .executeTakeFirst();
    if (row === undefined || row.user_id !== userId || Date.now() >= row.expires_ms)
      throw refused("it was used already, or came too late");
  }

  return {
    list: (userId) => db.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("id").execute(),

    placeOf(http) {
      const rpId = http.hostname;
      const origins = [...sessions.origins, ownOrigin(http)].filter((origin) => new URL(origin).hostname === rpId);
      return { rpId, origins: new Set(origins) };
    },

    async newChallenge(user_id) {
      const nowMs = Date.now();
      const challenge = newToken();
      await db.deleteFrom("passkey_challenges").where("expires_ms", "<", nowMs).execute();
      const row = { challenge_sha256: sha256(challenge), user_id, expires_ms: nowMs + CHALLENGE_MS };
      await db.insertInto("passkey_challenges").values(row).execute();
      return challenge;
    },

    async add(tx, { userId, name }, given, place) {
      const { counter } = readNewPasskey(given, place);
      const others = await tx.selectFrom("passkeys").select("id").where("user_id", "=", userId).execute();
      if (others.length >= PASSKEYS_MAX)
        throw new AppError("conflict", `This account has ${PASSKEYS_MAX} passkeys. Remove one that you no longer use.`);
      const row: PasskeyRow = {
        id: newId("psk"),
        user_id: userId,
        name,
        credential_id: given.id,
        public_key: given.public_key,
        algorithm: given.algorithm,
        rp_id: place.rpId,
        counter,
        created_at: new Date().toISOString(),
        last_used_at: null,
      };
      const added = await tx
        .insertInto("passkeys")
        .values(row)
        .onConflict((conflict) => conflict.column("credential_id").doNothing())
        .executeTakeFirst();
      if (added.numInsertedOrUpdatedRows === 1n) return row;
      throw new AppError("conflict", "This passkey is stored already. Use it, or create another one.");
    },

    async holderOf(given, place) {
      await take(challengeIn(given), null);
      const stored = await db
        .selectFrom("passkeys")
        .selectAll()
        .where("credential_id", "=", given.id)
        .executeTakeFirst();
      if (!stored) throw refused("no account has it");
      const { counter } = readProof(given, stored, place);
      // A counter that does not grow indicates a copy of the passkey. Devices without a counter send 0.
      const used = await db
        .updateTable("passkeys")
        .set({ counter, last_used_at: new Date().toISOString() })
        .where("id", "=", stored.id)
        .where((eb) => (counter === 0 ? eb("counter", "=", 0) : eb("counter", "<", counter)))
        .executeTakeFirst();
      if (used.numUpdatedRows === 0n) throw refused("it seems to be a copy of one that was used after it");
      return stored.user_id;
    },

    async remove(tx, userId, id) {
      const removed = await tx
        .deleteFrom("passkeys")
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },

    takeNew: (given, userId) => take(challengeIn(given), userId),
  };
}

export async function hasPasskey(tx: Db, userId: string): Promise<boolean> {
  const row = await tx.selectFrom("passkeys").select("id").where("user_id", "=", userId).executeTakeFirst();
  return row !== undefined;
}

export async function removePasskeys(tx: Db, userId: string): Promise<void> {
  await tx.deleteFrom("passkeys").where("user_id", "=", userId).execute();
}
