/** Access to operations that read one project: an API key or a session with the permission `read`. */
export const readsProject = { credential: "any", permission: "read", scope: "project" } as const;
/** Access to operations that play tests of one project: an API key or a session with the permission `test`. */
export const testsProject = { credential: "any", permission: "test", scope: "project" } as const;
/** Access to operations that change one project: an API key or a session with the permission `write`. */
export const writesProject = { credential: "any", permission: "write", scope: "project" } as const;

/** Access to operations that read the caller's organization: an API key or a session with the permission `read`. */
export const readsOrganization = { credential: "any", permission: "read", scope: "organization" } as const;
/** Access to operations that read what only admins may see: an API key or a session with the permission `oversee`. */
export const overseesOrganization = { credential: "any", permission: "oversee", scope: "organization" } as const;
/** Access to operations that change the organization: an API key or a session with the permission `manage`. */
export const managesOrganization = { credential: "any", permission: "manage", scope: "organization" } as const;
