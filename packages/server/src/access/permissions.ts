import { includesPermission, type Operation, type Permission, PERMISSIONS, type Role, ROLES } from "@svc/contract";
import { AppError } from "../base/errors.ts";
import type { Caller } from "./caller.ts";

/** Permissions that a project-scoped key never has, whatever its creator's role. They apply to the whole organization. */
const DENIED_TO_PROJECT_KEYS: readonly Permission[] = ["oversee", "manage"];

export const mayDo = (caller: Caller, permission: Permission): boolean => refusalOf(caller, permission) === undefined;

export function requirePermission(caller: Caller, op: Operation): void {
  const refusal = op.permission && refusalOf(caller, op.permission);
  if (refusal !== undefined) throw new AppError("not_permitted", refusal);
}

export const roleMayDo = (role: Role, permission: Permission): boolean => rolesWith(permission).includes(role);

const rolesWith = (permission: Permission): readonly Role[] => ROLES.slice(ROLES.indexOf(PERMISSIONS[permission].role));

function refusalOf(caller: Caller, permission: Permission): string | undefined {
  if (permission === "ingest" && caller.projectId === null)
    return "Spans need a project-scoped key with the permission `ingest`. Create one with `project_id` and send it instead.";
  if (caller.projectId !== null && DENIED_TO_PROJECT_KEYS.includes(permission))
    return "A project-scoped key cannot manage the organization, its members or its projects. Use an admin's organization-wide key.";
  if (!roleMayDo(caller.role, permission)) return lacksRole(caller.role, permission);
  const { key } = PERMISSIONS[permission];
  if (caller.permissions === null || includesPermission(caller.permissions, key)) return undefined;
  return `This key lacks the permission \`${key}\`: it has ${quoted(caller.permissions)}. Send a key with it, which \`svc keys create --permissions ${key}\` creates.`;
}

export const lacksRole = (role: Role, permission: Permission): string =>
  `The role ${role} may not do this. Ask an admin for the role ${rolesWith(permission).join(" or ")}.`;

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(" and ");
