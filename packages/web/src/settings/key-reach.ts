import { type Answer, KEY_PERMISSION_NAMES, type KeyPermission, type Operations } from "@svc/sdk";

export type ApiKey = Answer<Operations["keys"]["list"]>["keys"][number];

/** A key without a name is named after the end of its secret. */
export const keyName = ({ name, looks_like }: Pick<ApiKey, "name" | "looks_like">): string => name ?? looks_like;

export function reachOf({ project_id }: ApiKey, projects: readonly { id: string; name: string }[]): string {
  if (project_id === null) return "Organization";
  return projects.find(({ id }) => id === project_id)?.name ?? "A project that is not visible";
}

export const PERMISSION_WORDS: Record<KeyPermission, string> = {
  ingest: "Send conversations",
  read: "Read",
  test: "Run tests",
  write: "Change",
  admin: "Everything",
};

export const permissionsOf = ({ permissions }: Pick<ApiKey, "permissions">): string =>
  permissions.map((name) => PERMISSION_WORDS[name]).join(", ");

export const choicesOf = (role: string, isOfProject: boolean): KeyPermission[] =>
  KEY_PERMISSION_NAMES.filter((name) => {
    if (name === "ingest") return isOfProject && role !== "viewer";
    return role !== "viewer" || name === "read" || name === "admin";
  });

export const isExpired = ({ expires_at }: Pick<ApiKey, "expires_at">, now = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now;

export const commandLines = (origin: string, secret: string): string =>
  [`export SVC_URL=${origin}`, `export SVC_API_KEY=${secret}`].join("\n");
