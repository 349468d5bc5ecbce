import type { Credentials } from "../../access/credentials.ts";
import { newId } from "../../base/ids.ts";
import { newSecret, sha256 } from "../../base/secrets/secrets.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";

export type KeyRow = Schema["api_keys"];

type NewKey = {
  organizationId: string;
  projectId: string | null;
  userId: string;
  name: string | null;
  secret?: string;
};

export type KeyStore = {
  /** Creates a key and returns it with its secret, which is stored as a hash only. */
  create: (key: NewKey) => Promise<{ key: KeyRow; secret: string }>;
  /** Creates the key unless one with this secret exists; a revoked one stays revoked. */
  ensure: (key: NewKey & { secret: string }) => Promise<void>;
  /** Returns all keys of the organization, newest first. */
  list: (organizationId: string) => Promise<KeyRow[]>;
  find: (id: string) => Promise<KeyRow | undefined>;
  /** Revokes the key at once; a second call does not change the time of revocation. */
  revoke: (id: string) => Promise<KeyRow>;
};

export function createKeyStore(db: Db, credentials: Credentials): KeyStore {
  const store: KeyStore = {
    async create({ organizationId, projectId, userId, name, secret = newSecret() }) {
      const key: KeyRow = {
        id: newId("key"),
        organization_id: organizationId,
        project_id: projectId,
        created_by_user_id: userId,
        name,
        secret_sha256: sha256(secret),
        last_four: secret.slice(-4),
        created_at: new Date().toISOString(),
        last_used_at: null,
        revoked_at: null,
      };
      await db.insertInto("api_keys").values(key).execute();
      return { key, secret };
    },

    async ensure(key) {
      const existing = await db
        .selectFrom("api_keys")
        .select("id")
        .where("secret_sha256", "=", sha256(key.secret))
        .executeTakeFirst();
      if (!existing) await store.create(key);
    },

    async list(organizationId) {
      await credentials.flush();
      return db
        .selectFrom("api_keys")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .orderBy("id", "desc")
        .execute();
    },

    async find(id) {
      await credentials.flush();
      return db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
    },

    async revoke(id) {
      await db
        .updateTable("api_keys")
        .set({ revoked_at: new Date().toISOString() })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .execute();
      credentials.forget();
      return db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    },
  };
  return store;
}

/** Revokes the keys that a person created in an organization, in the caller's transaction. */
export async function revokeKeysOf(tx: Db, organizationId: string, userId: string): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ revoked_at: new Date().toISOString() })
    .where("organization_id", "=", organizationId)
    .where("created_by_user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
}
