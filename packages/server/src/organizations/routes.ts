import type { Routes } from "../http/operation.ts";
import type { Schema } from "../stores/schema.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import type { OrganizationStore } from "./store.ts";

export function organizationRoutes(store: OrganizationStore, sealed: SealedCredentials): Routes<"organization"> {
  return {
    organization: {
      get: async ({ caller }) => present(await store.get(caller.organizationId)),

      edit: async ({ caller, body }) => present(await store.rename(caller.organizationId, body.name)),

      reseal: ({ caller }) => sealed.reseal(caller.organizationId),
    },
  };
}

const present = ({ id, name, created_at, updated_at }: Schema["organizations"]) => ({
  organization: { id, name, createdAt: created_at, updatedAt: updated_at },
});
