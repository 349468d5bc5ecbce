import type { OrganizationRow } from "./store.ts";

export const presentOrganization = ({ id, name, created_at, updated_at }: OrganizationRow) => ({
  organization: { id, name, createdAt: created_at, updatedAt: updated_at },
});
