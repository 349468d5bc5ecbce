/**
 * Permissions of API keys, by name: the meaning, and the other permissions that each includes. The request that creates a key
 * chooses the key's permissions. The current role of the creator limits these permissions.
 */
export const KEY_PERMISSIONS = {
  ingest: {
    meaning:
      "Send conversations of one project, with the addresses of their recordings, and nothing else. For workers.",
    includes: [],
  },
  read: { meaning: "Read what its creator may read, and change nothing.", includes: [] },
  test: {
    meaning: "Read, try connections, and start and cancel runs. For continuous integration.",
    includes: ["read"],
  },
  write: {
    meaning:
      "Everything in its projects: also change and delete tests, agents, graders and conversations. It creates no keys.",
    includes: ["ingest", "read", "test"],
  },
  admin: {
    meaning: "Everything that its creator may do, which includes making further keys.",
    includes: ["ingest", "read", "test", "write"],
  },
} as const satisfies Record<string, { meaning: string; includes: readonly string[] }>;

/** Name of a key permission. */
export type KeyPermission = keyof typeof KEY_PERMISSIONS;

/** Names of the key permissions, in the order of `KEY_PERMISSIONS`. */
export const KEY_PERMISSION_NAMES = Object.keys(KEY_PERMISSIONS) as [KeyPermission, ...KeyPermission[]];

/** Permissions of a key when the request that creates the key names none. */
export const DEFAULT_KEY_PERMISSIONS: readonly KeyPermission[] = ["admin"];

/** Returns whether the permissions of a key include `needed`. */
export const includesPermission = (held: readonly KeyPermission[], needed: KeyPermission): boolean =>
  held.some((name) => name === needed || (KEY_PERMISSIONS[name].includes as readonly string[]).includes(needed));

/** Roles of people, in ascending order. Each role may do everything that the roles before it may do. */
export const ROLES = ["viewer", "member", "admin"] as const;

/**
 * Permissions that operations require. Each entry has the minimum role of the person, and the minimum permission of an API key. A
 * project-scoped key never has `oversee` or `manage`, because both concern the whole organization.
 */
export const PERMISSIONS = {
  /** Read resources. */
  read: { role: "viewer", key: "read" },
  /** List, create and revoke API keys. */
  keys: { role: "viewer", key: "admin" },
  /** Play tests and try connections. */
  test: { role: "member", key: "test" },
  /** Change or delete resources of a project. */
  write: { role: "member", key: "write" },
  /** Send spans. */
  ingest: { role: "member", key: "ingest" },
  /** Read what only admins may see. */
  oversee: { role: "admin", key: "read" },
  /** Manage the organization, its members and its projects. */
  manage: { role: "admin", key: "admin" },
} as const satisfies Record<string, { role: (typeof ROLES)[number]; key: KeyPermission }>;

/** Name of a permission that operations require. */
export type Permission = keyof typeof PERMISSIONS;
