import type { ApiKey } from "@svc/contract";
import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { readPermissions } from "../../access/key-table.ts";
import { selectProject } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import { looksLike } from "../../base/secrets/secrets.ts";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import type { Db } from "../../stores/relational.ts";
import { conditionsOfExpiring, decideExpiry, decideKeyProject, noticeUntil, decidePermissions } from "./rules.ts";
import { createKeyStore, type KeyRow, type KeyStore } from "./store.ts";

export function openKeys({ db, credentials }: ServiceContext) {
  const store = createKeyStore(db, credentials);
  return {
    store,
    routes: keyRoutes(db, store),
    async conditionsOf(organizationId: string) {
      const now = new Date();
      return conditionsOfExpiring(await store.expiringBy(organizationId, noticeUntil(now)), now);
    },
  };
}

function keyRoutes(db: Db, store: KeyStore): Routes<"keys"> {
  return {
    keys: {
      create: async ({ caller, body }) => {
        const chosen = decideKeyProject(caller, body.project_id);
        const projectId = chosen && (await selectProject(db, caller, { named: chosen, member: "project" })).id;
        const { organizationId, userId } = caller;
        const { key, secret } = await store.create({
          organizationId,
          projectId,
          userId,
          name: body.name ?? null,
          permissions: decidePermissions(caller, projectId, body.permissions),
          expiresAt: decideExpiry(caller, body.expires_at, new Date()),
        });
        return { ...presentKey(key), secret };
      },

      list: async ({ caller }) => {
        const keys = await store.list(caller.organizationId);
        return { keys: keys.filter((key) => isVisible(caller, key)).map(presentKey) };
      },

      revoke: async ({ caller, params }) => {
        const key = await store.find(params.apiKeyId);
        if (!key || !isVisible(caller, key)) throw notFound();
        return presentKey(await store.revoke(key.id));
      },
    },
  };
}

export function presentKey(key: KeyRow): z.infer<typeof ApiKey> {
  return {
    id: key.id,
    name: key.name,
    scope: key.project_id === null ? "organization" : "project",
    organization_id: key.organization_id,
    project_id: key.project_id,
    looks_like: looksLike(key.last_four),
    permissions: readPermissions(key.permissions),
    created_by_user_id: key.created_by_user_id,
    created_at: key.created_at,
    expires_at: key.expires_at,
    last_used_at: key.last_used_at,
    last_used_address: key.last_used_address,
    revoked_at: key.revoked_at,
  };
}

function isVisible(caller: Caller, key: KeyRow): boolean {
  if (key.organization_id !== caller.organizationId) return false;
  if (caller.projectId !== null && key.project_id !== caller.projectId) return false;
  return caller.role === "admin" || key.created_by_user_id === caller.userId;
}
