import { DEFAULT_KEY_PERMISSIONS, type KeyPermission } from "@svc/contract";
import type { Selectable } from "kysely";
import type { Credentials } from "../../access/credentials.ts";
import { newId } from "../../base/ids.ts";
import { newSecret, sha256 } from "../../base/secrets/secrets.ts";
import { recordEvent, recordOrganizationEvent } from "../../stores/events.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";

export type KeyRow = Selectable<Schema["api_keys"]>;

type NewKey = {
  organizationId: string;
  projectId: string | null;
  userId: string;
  name: string | null;
  /** Default: `admin`, which allows everything that the creator's role allows. */
  permissions?: readonly KeyPermission[];
  expiresAt?: string | null;
  secret?: string;
};

export type KeyStore = {
  /** The database stores only a hash of the secret. */
  create: (key: NewKey) => Promise<{ key: KeyRow; secret: string }>;
  /**
   * Creates the key and returns its id. When a key with this secret exists, even a revoked key, changes nothing and returns
   * undefined.
   */
  ensure: (key: NewKey & { secret: string }) => Promise<string | undefined>;
  /** Newest first. */
  list: (organizationId: string) => Promise<KeyRow[]>;
  find: (id: string) => Promise<KeyRow | undefined>;
  /** Returns the valid keys that expire by the time `end`, in the order of expiry. */
  expiringBy: (organizationId: string, end: Date) => Promise<KeyRow[]>;
  /** Revokes a key. A second call does not change the time of revocation. */
  revoke: (id: string) => Promise<KeyRow>;
};

export function createKeyStore(db: Db, credentials: Credentials): KeyStore {
  const store: KeyStore = {
    async create({ organizationId, projectId, userId, name, secret = newSecret(), ...chosen }) {
      const key: KeyRow = {
        id: newId("key"),
        organization_id: organizationId,
        project_id: projectId,
        created_by_user_id: userId,
        name,
        secret_sha256: sha256(secret),
        last_four: secret.slice(-4),
        permissions: JSON.stringify(chosen.permissions ?? DEFAULT_KEY_PERMISSIONS),
        created_at: new Date().toISOString(),
        expires_at: chosen.expiresAt ?? null,
        last_used_at: null,
        last_used_address: null,
        revoked_at: null,
      };
      await transaction(db, projectId ?? organizationId, async (tx) => {
        await tx.insertInto("api_keys").values(key).execute();
        await recordCreation(tx, key);
      });
      return { key, secret };
    },

    async ensure(key) {
      const existing = await db
        .selectFrom("api_keys")
        .select("id")
        .where("secret_sha256", "=", sha256(key.secret))
        .executeTakeFirst();
      return existing ? undefined : (await store.create(key)).key.id;
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

    expiringBy: (organizationId, end) =>
      db
        .selectFrom("api_keys")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("revoked_at", "is", null)
        .where("expires_at", ">", new Date().toISOString())
        .where("expires_at", "<=", end.toISOString())
        .orderBy("expires_at")
        .execute(),

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

/**
 * Records the event that a key was created, in the key's project. For a key of the whole organization, records it in each project that
 * subscribes to the event.
 */
async function recordCreation(tx: Db, key: KeyRow): Promise<void> {
  const event = {
    type: "key.created",
    about: key.id,
    data: {
      key: {
        id: key.id,
        name: key.name,
        permissions: JSON.parse(key.permissions) as KeyPermission[],
        createdByUserId: key.created_by_user_id,
        expiresAt: key.expires_at,
      },
    },
  } as const;
  if (key.project_id !== null) await recordEvent(tx, key.project_id, event);
  else await recordOrganizationEvent(tx, key.organization_id, event);
}

/**
 * Revokes the keys that a person created in the organization, or in all organizations, in the caller's transaction. Returns the number of
 * keys that worked until then. The caller has to drop the cached keys after the transaction.
 */
export async function revokeKeysOf(tx: Db, userId: string, organizationId?: string): Promise<number> {
  const now = new Date().toISOString();
  const revoked = await tx
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("created_by_user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .$if(organizationId !== undefined, (keys) => keys.where("organization_id", "=", organizationId!))
    .executeTakeFirst();
  return Number(revoked.numUpdatedRows);
}
