import { selectProject } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import type { Routes } from "../../http/operation.ts";
import type { Db } from "../../stores/relational.ts";
import { presentKey } from "./present.ts";
import { decideKeyProject, isVisible } from "./rules.ts";
import type { KeyStore } from "./store.ts";

export function keyRoutes(db: Db, store: KeyStore): Routes<"keys"> {
  return {
    keys: {
      create: async ({ caller, body }) => {
        const chosen = decideKeyProject(caller, body.project_id);
        const projectId = chosen && (await selectProject(db, caller, { named: chosen, member: "project" })).id;
        const { organizationId, userId } = caller;
        const { key, secret } = await store.create({ organizationId, projectId, userId, name: body.name ?? null });
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
