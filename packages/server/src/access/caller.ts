import type { Role } from "@svc/contract";

/** The person or key behind a request. A key has its creator's current role. */
export type Caller = {
  via: "key" | "session";
  userId: string;
  organizationId: string;
  role: Role;
  /** Null for a session. */
  keyId: string | null;
  /** The project of a project-scoped key; null otherwise. */
  projectId: string | null;
  project: Project | null;
};

export type Project = { id: string; number: number; name: string };
