import type { ApiKey } from "@svc/contract";
import type { z } from "zod";
import { looksLike } from "../../base/secrets/secrets.ts";
import type { KeyRow } from "./rules.ts";

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
