import type { KeyPermission, Role } from "@svc/contract";

/** Who sent a request. An API key has the current role of the person who created the key, limited by the key's own permissions. */
export type Caller = {
  via: "key" | "session";
  userId: string;
  organizationId: string;
  role: Role;
  sessionId: string | null;
  keyId: string | null;
  /** Permissions of the key; null for a session, which only the role limits. */
  permissions: readonly KeyPermission[] | null;
  /** ISO 8601 time at which the key expires; null for a session and for a key that never expires. */
  keyExpiresAt: string | null;
  projectId: string | null;
  project: Project | null;
};

export type Project = { id: string; number: number; name: string };
