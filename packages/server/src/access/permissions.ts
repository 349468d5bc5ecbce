import type { Operation, Permission, Role } from "@svc/contract";
import { AppError } from "../errors.ts";
import type { Caller } from "./caller.ts";

const OF_ROLE: Record<Role, readonly Permission[]> = {
  viewer: ["read", "keys"],
  member: ["read", "keys", "write", "ingest"],
  admin: ["read", "keys", "write", "ingest", "manage"],
};

/** What a key bound to one project never does, whatever its creator's role. */
const NEVER_OF_PROJECT_KEYS: readonly Permission[] = ["manage"];

export function mayDo(caller: Caller, permission: Permission): boolean {
  if (caller.projectId && NEVER_OF_PROJECT_KEYS.includes(permission)) return false;
  return OF_ROLE[caller.role].includes(permission);
}

export function requirePermission(caller: Caller, op: Operation): void {
  if (op.permission === "ingest" && caller.projectId === null) {
    throw new AppError(
      "not_permitted",
      "Spans need a project-scoped key: create one with `project_id` and send it instead.",
    );
  }
  if (op.permission && !mayDo(caller, op.permission)) {
    throw new AppError("not_permitted", refusal(caller, op.permission));
  }
}

function refusal(caller: Caller, permission: Permission): string {
  if (caller.projectId && NEVER_OF_PROJECT_KEYS.includes(permission)) {
    return "A project-scoped key cannot manage the organization, its members or its projects; use an organization-wide key of an admin.";
  }
  const roles = (Object.keys(OF_ROLE) as Role[]).filter((role) => OF_ROLE[role].includes(permission));
  return `The role ${caller.role} may not do this; ask an admin for the role ${roles.join(" or ")}.`;
}
