import type { Operation, Permission, Role } from "@svc/contract";
import { AppError } from "../base/errors.ts";
import type { Caller } from "./caller.ts";

const PERMISSIONS: Record<Role, readonly Permission[]> = {
  viewer: ["read", "keys"],
  member: ["read", "keys", "write", "ingest"],
  admin: ["read", "keys", "write", "ingest", "manage"],
};

/** Permissions that a project-scoped key never has, whatever its creator's role. */
const DENIED_TO_PROJECT_KEYS: readonly Permission[] = ["manage"];

export function mayDo(caller: Caller, permission: Permission): boolean {
  if (caller.projectId && DENIED_TO_PROJECT_KEYS.includes(permission)) return false;
  return PERMISSIONS[caller.role].includes(permission);
}

/** Refuses a caller without the operation's permission. */
export function requirePermission(caller: Caller, op: Operation): void {
  if (op.permission === "ingest" && caller.projectId === null) {
    throw new AppError(
      "not_permitted",
      "Spans need a project-scoped key. Create one with `project_id` and send it instead.",
    );
  }
  if (op.permission && !mayDo(caller, op.permission)) {
    throw new AppError("not_permitted", refusal(caller, op.permission));
  }
}

function refusal(caller: Caller, permission: Permission): string {
  if (caller.projectId && DENIED_TO_PROJECT_KEYS.includes(permission)) {
    return "A project-scoped key cannot manage the organization, its members or its projects. Use an admin's organization-wide key.";
  }
  const roles = (Object.keys(PERMISSIONS) as Role[]).filter((role) => PERMISSIONS[role].includes(permission));
  return `The role ${caller.role} may not do this. Ask an admin for the role ${roles.join(" or ")}.`;
}
