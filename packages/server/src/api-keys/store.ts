import type { Credentials } from "../access/credentials.ts";
import { newId } from "../ids.ts";
import { newSecret, sha256 } from "../secrets.ts";
import type { Db } from "../stores/relational.ts";
import type { KeyRow } from "./rules.ts";

type NewKey = {
  organizationId: string;
  projectId: string | null;
  userId: string;
  name: string | null;
  secret?: string;
};
export type KeyStore = ReturnType<typeof openKeyStore>;

export function openKeyStore(db: Db, credentials: Credentials) {
  const store = {
    async create({ organizationId, projectId, userId, name, secret = newSecret() }: NewKey) {
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

    /** Makes the key with this secret unless it was made before; a revoked one stays revoked. */
    async ensure(key: NewKey & { secret: string }): Promise<void> {
      const known = await db
        .selectFrom("api_keys")
        .select("id")
        .where("secret_sha256", "=", sha256(key.secret))
        .executeTakeFirst();
      if (!known) await store.create(key);
    },

    async list(organizationId: string): Promise<KeyRow[]> {
      credentials.flush();
      return db
        .selectFrom("api_keys")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .orderBy("id", "desc")
        .execute();
    },

    async find(id: string): Promise<KeyRow | undefined> {
      credentials.flush();
      return db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
    },

    /** Sets `revoked_at` once; the key is refused from the next request on. */
    async revoke(id: string): Promise<KeyRow> {
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
