import { randomBytes } from "node:crypto";

/** Returns a secret in the form of an API key. */
export const newSecret = (): string => `svc_sk_${randomBytes(32).toString("base64url")}`;

type Keys = { adminKey: string; projectKey: string };

/** Returns the setting for the first keys of a service: one key of the organization and one of its project. */
export const keySettings = ({ adminKey, projectKey }: Keys = { adminKey: newSecret(), projectKey: newSecret() }) => ({
  SVC_INIT_API_KEYS: `organization:${adminKey},project:${projectKey}`,
});

/** Returns the keys that `SVC_INIT_API_KEYS` contains. */
export function keysIn({ SVC_INIT_API_KEYS: keys }: { SVC_INIT_API_KEYS?: string }): Keys {
  const [, adminKey, projectKey] = /^organization:([^,]+),project:([^,]+)/.exec(keys ?? "") ?? [];
  if (!adminKey || !projectKey) throw new Error("the settings lack a key of the organization and one of the project");
  return { adminKey, projectKey };
}
