import type { Routes } from "../../http/operation.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { presentOrganization } from "./present.ts";
import type { OrganizationStore } from "./store.ts";

export function organizationRoutes(store: OrganizationStore, sealed: SealedCredentials): Routes<"organization"> {
  return {
    organization: {
      get: async ({ caller }) => presentOrganization(await store.get(caller.organizationId)),

      edit: async ({ caller, body }) => presentOrganization(await store.rename(caller.organizationId, body.name)),

      reseal: ({ caller }) => sealed.reseal(caller.organizationId),
    },
  };
}
