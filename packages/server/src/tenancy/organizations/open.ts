import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { createOrganizationStore, type OrganizationRow, type OrganizationStore } from "./store.ts";

export function openOrganizations({ db, sealed }: ServiceContext) {
  const store = createOrganizationStore(db);
  return { store, routes: organizationRoutes(store, sealed) };
}

function organizationRoutes(store: OrganizationStore, sealed: SealedCredentials): Routes<"organization"> {
  return {
    organization: {
      get: async ({ caller }) => presentOrganization(await store.get(caller.organizationId)),

      edit: async ({ caller, body }) => presentOrganization(await store.rename(caller.organizationId, body.name)),

      reseal: ({ caller }) => sealed.reseal(caller.organizationId),
    },
  };
}

const presentOrganization = ({ id, name, created_at, updated_at }: OrganizationRow) => ({
  organization: { id, name, createdAt: created_at, updatedAt: updated_at },
});
