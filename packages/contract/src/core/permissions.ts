/**
 * What an API key may do, chosen at its creation: a name, its meaning in one sentence, and the other permissions that it includes.
 * A key never does more than its creator's current role.
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
      "Everything in its projects: also change and delete tests, agents, graders and conversations. It makes no keys.",
    includes: ["ingest", "read", "test"],
  },
  admin: {
    meaning: "Everything that its creator may do, which includes making further keys.",
    includes: ["ingest", "read", "test", "write"],
  },
} as const satisfies Record<string, { meaning: string; includes: readonly string[] }>;

/** A name of `KEY_PERMISSIONS`. */
export type KeyPermission = keyof typeof KEY_PERMISSIONS;

/** The names of `KEY_PERMISSIONS`, the smallest first. */
export const KEY_PERMISSION_NAMES = Object.keys(KEY_PERMISSIONS) as [KeyPermission, ...KeyPermission[]];

/** The permission of a key whose creation names none. */
export const DEFAULT_KEY_PERMISSIONS: readonly KeyPermission[] = ["admin"];

/** Returns whether a key with these permissions may do what needs `needed`. */
export const includesPermission = (held: readonly KeyPermission[], needed: KeyPermission): boolean =>
  held.some((name) => name === needed || (KEY_PERMISSIONS[name].includes as readonly string[]).includes(needed));

/** The roles of people, the smallest first. Each may do what the ones before it may. */
export const ROLES = ["viewer", "member", "admin"] as const;

/**
 * What an operation needs: the least role of the person who acts, and the least permission of an API key. A project-scoped key
 * never has `oversee` and `manage`, because both concern the whole organization.
 */
export const PERMISSIONS = {
  /** Reads. */
  read: { role: "viewer", key: "read" },
  /** Sees, makes and revokes API keys. */
  keys: { role: "viewer", key: "admin" },
  /** Plays tests. */
  test: { role: "member", key: "test" },
  /** Changes or deletes what a project has. */
  write: { role: "member", key: "write" },
  /** Sends spans. */
  ingest: { role: "member", key: "ingest" },
  /** Reads what only admins see. */
  oversee: { role: "admin", key: "read" },
  /** Manages the organization, its people and its projects. */
  manage: { role: "admin", key: "admin" },
} as const satisfies Record<string, { role: (typeof ROLES)[number]; key: KeyPermission }>;

/** A name of `PERMISSIONS`. */
export type Permission = keyof typeof PERMISSIONS;
