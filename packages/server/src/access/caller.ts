import type { Role } from "@svc/contract";

/** Who is calling: a key acts with its creator's current role, a session with its user's. */
export type Caller = {
  via: "key" | "session";
  userId: string;
  organizationId: string;
  role: Role;
  /** The API key, when there is one. */
  keyId: string | null;
  /** The project that a project-scoped key is bound to, by its id and as it is. */
  projectId: string | null;
  project: Project | null;
};

export type Project = { id: string; number: number; name: string };
