import type { KeyPermission, Role } from "@svc/contract";

/** The person or key behind a request. A key has its creator's current role, within its permissions. */
export type Caller = {
  via: "key" | "session";
  userId: string;
  organizationId: string;
  role: Role;
  /** Null for a key. */
  sessionId: string | null;
  /** Null for a session. */
  keyId: string | null;
  /** What the key may do; null for a session, which its person's role alone limits. */
  permissions: readonly KeyPermission[] | null;
  /** The time at which the key stops working, ISO 8601; null for a session and for a key without an end. */
  keyExpiresAt: string | null;
  /** The project of a project-scoped key; null otherwise. */
  projectId: string | null;
  project: Project | null;
};

export type Project = { id: string; number: number; name: string };
