/** Who may call, in the words of most operations: a key or a session, with this permission, in one project. */
export const readsProject = { credential: "any", permission: "read", scope: "project" } as const;
/** The same with the permission to write. */
export const writesProject = { credential: "any", permission: "write", scope: "project" } as const;

/** The same in the caller's organization. */
export const readsOrganization = { credential: "any", permission: "read", scope: "organization" } as const;
/** The same with the permission to manage, which admins hold. */
export const managesOrganization = { credential: "any", permission: "manage", scope: "organization" } as const;
