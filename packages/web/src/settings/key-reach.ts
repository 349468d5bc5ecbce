import { type Answer, KEY_PERMISSION_NAMES, type KeyPermission, type Operations } from "@svc/sdk";

export type ApiKey = Answer<Operations["keys"]["list"]>["keys"][number];

/** Returns the name of a key. Returns the end of the secret for a key without a name. */
export const keyName = ({ name, looks_like }: Pick<ApiKey, "name" | "looks_like">): string => name ?? looks_like;

/** Returns the name of the project that a key can access, or "Organization" for a key without a project. */
export function reachOf({ project_id }: ApiKey, projects: readonly { id: string; name: string }[]): string {
  if (project_id === null) return "Organization";
  return projects.find(({ id }) => id === project_id)?.name ?? "A project that is not visible";
}

/** Labels of the permissions of a key. */
export const PERMISSION_WORDS: Record<KeyPermission, string> = {
  ingest: "Send conversations",
  read: "Read",
  test: "Run tests",
  write: "Change",
  admin: "Everything",
};

/** Returns the labels of a key's permissions, separated by commas. */
export const permissionsOf = ({ permissions }: Pick<ApiKey, "permissions">): string =>
  permissions.map((name) => PERMISSION_WORDS[name]).join(", ");

/** Returns the permissions that a new key can have. They depend on the person's role; only a key of one project can send conversations. */
export const choicesOf = (role: string, isOfProject: boolean): KeyPermission[] =>
  KEY_PERMISSION_NAMES.filter((name) => {
    if (name === "ingest") return isOfProject && role !== "viewer";
    return role !== "viewer" || name === "read" || name === "admin";
  });

/** Returns whether a key has expired. */
export const isExpired = ({ expires_at }: Pick<ApiKey, "expires_at">, now = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now;

/** Returns shell commands that let `svc` use the key. */
export const commandLines = (origin: string, secret: string): string =>
  [`export SVC_URL=${origin}`, `export SVC_API_KEY=${secret}`].join("\n");
