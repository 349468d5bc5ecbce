import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { textUpTo } from "../core/texts.ts";

/** An API key without its secret. */
export const ApiKey = z
  .strictObject({
    id: id("key"),
    name: z.string().nullable(),
    scope: z.enum(["project", "organization"]),
    organization_id: id("org"),
    project_id: id("prj").nullable().meta({ description: "Null for an organization-wide key." }),
    looks_like: z.string().meta({
      description: "Prefix of the secret, an ellipsis and the secret's last four characters.",
      example: "svc_sk_…x9Qk",
    }),
    created_by_user_id: id("usr"),
    created_at: timestamp(),
    last_used_at: timestamp().nullable(),
    revoked_at: timestamp().nullable(),
  })
  .meta({ id: "ApiKey" });

/** A new API key with its secret, which only the answer to its creation holds. */
export const ApiKeyWithSecret = ApiKey.extend({
  secret: z.string().meta({ description: "The key itself. Only this answer holds it." }),
}).meta({ id: "ApiKeyWithSecret" });

const common = { tag: "API keys", credential: "any", permission: "keys", scope: "organization" } as const;

/** API keys, organization-wide or limited to one project. */
export const keys = {
  /** Creates a key with its creator's current role. A project-scoped key must send its project's id. */
  create: operation({
    ...common,
    method: "POST",
    path: "/api/keys",
    summary: "Create an API key",
    description:
      "Only this answer holds the secret; the service stores its SHA-256 hash. A project-scoped key must send its project's id as `project_id`.",
    body: z.strictObject({
      name: textUpTo(LIMITS.nameCharacters).optional().meta({ description: "Label for people." }),
      project_id: idInput("prj")
        .optional()
        .meta({ description: "Limits the key to this project. Trace ingest requires a project-scoped key." }),
    }),
    status: 201,
    answer: ApiKeyWithSecret,
    errors: ["not_found"],
  }),

  /**
   * Lists API keys. Admins see every key of the organization, other users the keys that they created, and a project-scoped
   * key sees the keys of its project.
   */
  list: operation({
    ...common,
    method: "GET",
    path: "/api/keys",
    summary: "List API keys",
    status: 200,
    answer: z.strictObject({ keys: z.array(ApiKey) }),
  }),

  /** Revokes a key, which stops working on its next request. Revoking it again returns the same record. */
  revoke: operation({
    ...common,
    method: "POST",
    path: "/api/keys/{apiKeyId}/revoke",
    summary: "Revoke an API key",
    params: z.strictObject({ apiKeyId: idInput("key") }),
    status: 200,
    answer: ApiKey,
  }),
};
