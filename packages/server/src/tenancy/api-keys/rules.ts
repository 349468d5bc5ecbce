import {
  DEFAULT_KEY_PERMISSIONS,
  includesPermission,
  KEY_PERMISSION_NAMES,
  type KeyPermission,
  LIMITS,
} from "@svc/contract";
import type { Caller } from "../../access/caller.ts";
import type { Condition } from "../../base/conditions.ts";
import { lacksRole, roleMayDo } from "../../access/permissions.ts";
import { AppError } from "../../base/errors.ts";
import { looksLike } from "../../base/secrets/secrets.ts";
import type { KeyRow } from "./store.ts";

/**
 * Returns the project of a new key; null for a key of the whole organization. Throws when the caller's key belongs to one project and the
 * request does not name that project.
 */
export function decideKeyProject(caller: Caller, projectId: string | undefined): string | null {
  if (caller.projectId === null) return projectId ?? null;
  if (projectId === caller.projectId) return projectId;
  throw new AppError(
    "not_permitted",
    "A project-scoped key can create keys only for its project. Send that project's id as `project_id`; in the command line, name the project with --project.",
  );
}

/**
 * Returns the permissions of a new key. Leaves out each permission that another of them includes. Throws when the creator's role lacks a
 * permission. Also throws for `ingest` without a project, because spans need one project.
 */
export function decidePermissions(
  caller: Caller,
  projectId: string | null,
  wanted: readonly KeyPermission[] = DEFAULT_KEY_PERMISSIONS,
): KeyPermission[] {
  for (const name of wanted)
    // Every role may create keys with `admin`: the key is limited by its creator's role.
    if (name !== "admin" && !roleMayDo(caller.role, name))
      throw new AppError(
        "not_permitted",
        `Your role does not allow a key with \`${name}\`. ${lacksRole(caller.role, name)}`,
      );
  if (projectId === null && wanted.includes("ingest"))
    throw refused("project_id", "Required with the permission `ingest`: spans need a key of one project.");
  const isPartOfAnother = (name: KeyPermission) =>
    wanted.some((other) => other !== name && includesPermission([other], name));
  return KEY_PERMISSION_NAMES.filter((name) => wanted.includes(name) && !isPartOfAnother(name));
}

/**
 * Returns the time at which a new key stops working; null when it never expires. The default is the expiry of the caller's own key.
 * Throws when the time is in the past or too far in the future. Also throws when the new key would expire later than the caller's
 * own key; otherwise a thief could replace a stolen key before its expiry.
 */
export function decideExpiry(caller: Caller, wanted: string | undefined, now: Date): string | null {
  const own = caller.keyExpiresAt;
  if (wanted === undefined) return own;
  const end = new Date(wanted);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + LIMITS.keyYearsMax);
  if (end <= now) throw refused("expires_at", "This time is over. Send a time in the future.");
  if (end > latest) throw refused("expires_at", `Send a time within the next ${LIMITS.keyYearsMax} years.`);
  if (own !== null && end > new Date(own))
    throw new AppError(
      "not_permitted",
      `A key that expires cannot create a key that expires later. Send an \`expires_at\` until ${own}, or use a session.`,
    );
  return end.toISOString();
}

const refused = (path: string, message: string) =>
  new AppError("unprocessable", `The key cannot be created. ${message}`, { issues: [{ path, message }] });

const KEYS_NAMED = 5;
const NOTICE_MS = LIMITS.keyEndNoticeDays * 24 * 3600 * 1000;

export const noticeUntil = (now: Date): Date => new Date(now.getTime() + NOTICE_MS);

/** Returns the condition of an organization whose API keys expire soon. `keys` are in the order of expiry. */
export function conditionsOfExpiring(keys: readonly KeyRow[], now: Date): Condition[] {
  const [first] = keys;
  if (!first) return [];
  const named = keys
    .slice(0, KEYS_NAMED)
    .map((key) => `"${key.name ?? looksLike(key.last_four)}" at ${key.expires_at}`);
  const more = keys.length > KEYS_NAMED ? ` and ${keys.length - KEYS_NAMED} more` : "";
  return [
    {
      code: "api_keys_expire",
      organizationId: first.organization_id,
      projectId: null,
      degrades: false,
      needsAction: true,
      message: `API keys expire within ${LIMITS.keyEndNoticeDays} days: ${named.join(", ")}${more}.`,
      remedy:
        "Create another key of the same project and permissions, give it to the programs that use the old one, then revoke the old one.",
      count: keys.length,
      since: keys.map(noticedSince).toSorted()[0]!,
      at: now.toISOString(),
    },
  ];
}

function noticedSince({ created_at, expires_at }: KeyRow): string {
  const noticed = new Date(Date.parse(expires_at!) - NOTICE_MS).toISOString();
  return noticed > created_at ? noticed : created_at;
}
