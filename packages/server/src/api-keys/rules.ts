import type { ApiKey } from "@svc/contract";
import type { z } from "zod";
import type { Caller } from "../access/caller.ts";
import { AppError } from "../errors.ts";
import { looksLike } from "../secrets.ts";
import type { Schema } from "../stores/schema.ts";

export type KeyRow = Schema["api_keys"];

/** A project key makes keys of its own project only, and says so by sending that project's id. */
export function decideKeyProject(caller: Caller, sent: string | undefined): string | null {
  if (caller.projectId === null) return sent ?? null;
  if (sent === caller.projectId) return sent;
  throw new AppError(
    "not_permitted",
    "A project-scoped key creates keys of its own project only; send its id as `project_id`.",
  );
}

/** Which keys a caller sees and may revoke. */
export function isVisible(caller: Caller, key: KeyRow): boolean {
  if (key.organization_id !== caller.organizationId) return false;
  if (caller.projectId !== null && key.project_id !== caller.projectId) return false;
  return caller.role === "admin" || key.created_by_user_id === caller.userId;
}

export function presentKey(key: KeyRow): z.infer<typeof ApiKey> {
  return {
    id: key.id,
    name: key.name,
    scope: key.project_id === null ? "organization" : "project",
    organization_id: key.organization_id,
    project_id: key.project_id,
    looks_like: looksLike(key.last_four),
    created_by_user_id: key.created_by_user_id,
    created_at: key.created_at,
    last_used_at: key.last_used_at,
    revoked_at: key.revoked_at,
  };
}
