import type { Db } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";
import { type KeyTable, readPermissions } from "./key-table.ts";

type LookUp = { hashes: Set<string>; callers: Promise<Map<string, Caller>> };

/**
 * Finds API keys without a cache: each request waits for a look-up that begins after the request. Requests that wait at the same time share
 * one look-up.
 */
export function createSharedKeys(db: Db): KeyTable {
  let waiting: LookUp | undefined;
  let running: Promise<unknown> = Promise.resolve();

  function nextLookUp(): LookUp {
    const hashes = new Set<string>();
    const callers = running.then(() => {
      waiting = undefined;
      return findCallers(db, [...hashes]);
    });
    running = callers.catch(() => undefined);
    return { hashes, callers };
  }

  return {
    async find(sha256) {
      waiting ??= nextLookUp();
      waiting.hashes.add(sha256);
      return (await waiting.callers).get(sha256);
    },

    async noteUses(uses) {
      for (const [keyId, { at, address }] of uses) {
        await db
          .updateTable("api_keys")
          .set({ last_used_at: at, last_used_address: address })
          .where("id", "=", keyId)
          .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", at)]))
          .execute();
      }
    },

    forget: () => undefined,
  };
}

async function findCallers(db: Db, hashes: readonly string[]): Promise<Map<string, Caller>> {
  const rows = await db
    .selectFrom("api_keys as k")
    .leftJoin("projects as p", "p.id", "k.project_id")
    .innerJoin("memberships as m", (join) =>
      join.onRef("m.user_id", "=", "k.created_by_user_id").onRef("m.organization_id", "=", "k.organization_id"),
    )
    .select(["k.secret_sha256", "k.created_by_user_id as userId", "k.organization_id as organizationId", "m.role"])
    .select(["k.id as keyId", "k.project_id as projectId", "k.permissions", "k.expires_at as keyExpiresAt"])
    .select(["p.number", "p.name"])
    .where("k.secret_sha256", "in", hashes)
    .where("k.revoked_at", "is", null)
    .execute();
  return new Map(
    rows.map(({ secret_sha256, number, name, permissions, ...caller }) => {
      const { projectId } = caller;
      const project = projectId === null ? null : { id: projectId, number: number!, name: name! };
      return [
        secret_sha256,
        { via: "key", sessionId: null, ...caller, permissions: readPermissions(permissions), project },
      ];
    }),
  );
}
