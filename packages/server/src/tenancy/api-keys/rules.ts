import type { Caller } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import type { Schema } from "../../stores/schema.ts";

export type KeyRow = Schema["api_keys"];

/** Returns the project of a new key, null for an organization-wide key; refuses a project key that names another project. */
export function decideKeyProject(caller: Caller, projectId: string | undefined): string | null {
  if (caller.projectId === null) return projectId ?? null;
  if (projectId === caller.projectId) return projectId;
  throw new AppError(
    "not_permitted",
    "A project-scoped key can create keys only for its project. Send that project's id as `project_id`.",
  );
}

/** Returns whether the caller may see and revoke the key. */
export function isVisible(caller: Caller, key: KeyRow): boolean {
  if (key.organization_id !== caller.organizationId) return false;
  if (caller.projectId !== null && key.project_id !== caller.projectId) return false;
  return caller.role === "admin" || key.created_by_user_id === caller.userId;
}
