import type { KeyPermission, Role } from "@svc/contract";
import type { Ask } from "./request.ts";
import type { World } from "./world.ts";

export type CallerKind = {
  via: "nothing" | "key" | "session";
  with: (w: World) => Partial<Ask> | Promise<Partial<Ask>>;
  /** Missing when the credential is not valid. */
  role?: Role;
  project?: "this" | "another";
  foreign?: true;
  /** The key's permission; missing for a key that may do everything. */
  permission?: KeyPermission;
};

/** Every kind of caller of the API, by a name for the reports of specs. */
export const CALLERS: Record<string, CallerKind> = {
  "no credential": { via: "nothing", with: () => ({}) },
  "admin's key": { via: "key", role: "admin", with: (w) => ({ key: w.adminKey }) },
  "member's key": { via: "key", role: "member", with: (w) => ({ key: w.member.key }) },
  "viewer's key": { via: "key", role: "viewer", with: (w) => ({ key: w.viewer.key }) },
  "project key": { via: "key", role: "admin", project: "this", with: (w) => ({ key: w.projectKey }) },
  "viewer's project key": { via: "key", role: "viewer", project: "this", with: (w) => ({ key: w.viewerProjectKey }) },
  "another project's key": { via: "key", role: "admin", project: "another", with: (w) => ({ key: w.otherProjectKey }) },
  "another organization's admin key": {
    via: "key",
    role: "admin",
    foreign: true,
    with: (w) => ({ key: w.stranger.key }),
  },
  "admin's session": { via: "session", role: "admin", with: (w) => ({ cookie: w.adminCookie }) },
  "viewer's session": { via: "session", role: "viewer", with: (w) => ({ cookie: w.viewer.cookie }) },
  "another organization's session": {
    via: "session",
    role: "admin",
    foreign: true,
    with: (w) => ({ cookie: w.stranger.cookie }),
  },
  ...Object.fromEntries(
    (["ingest", "read", "test", "write"] as const).map((permission): [string, CallerKind] => [
      `project key with ${permission}`,
      {
        via: "key",
        role: "admin",
        project: "this",
        permission,
        with: (w) => ({ key: w.keysWith[permission].project }),
      },
    ]),
  ),
  "admin's key with read": {
    via: "key",
    role: "admin",
    permission: "read",
    with: (w) => ({ key: w.keysWith.read.organization! }),
  },
  "expired key": { via: "key", with: (w) => ({ key: w.expiredKey }) },
  "revoked key": { via: "key", with: (w) => ({ key: w.revokedKey }) },
  "removed member's key": { via: "key", with: (w) => ({ key: w.removed.key }) },
  "removed member's session": { via: "session", with: (w) => ({ cookie: w.removed.cookie }) },
};
