import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { textUpTo } from "../core/texts.ts";

/** An API key as every answer after its creation shows it. */
export const ApiKey = z
  .strictObject({
    id: id("key"),
    name: z.string().nullable(),
    scope: z.enum(["project", "organization"]),
    organization_id: id("org"),
    project_id: id("prj").nullable().meta({ description: "Null for an organization-wide key." }),
    looks_like: z
      .string()
      .meta({ description: "Prefix, ellipsis and the last four characters of the secret.", example: "svc_sk_…x9Qk" }),
    created_by_user_id: id("usr"),
    created_at: timestamp(),
    last_used_at: timestamp().nullable(),
    revoked_at: timestamp().nullable(),
  })
  .meta({ id: "ApiKey" });

/** An API key as the answer of its creation shows it, with its secret. */
export const ApiKeyWithSecret = ApiKey.extend({
  secret: z.string().meta({ description: "Shown in this answer and never again." }),
}).meta({ id: "ApiKeyWithSecret" });

/** API keys: organization-wide ones and those of a project. */
export const keys = {
  /** Creates a key that acts with its creator's current role. With a project-scoped key, send that project's id. */
  create: operation({
    method: "POST",
    path: "/api/keys",
    summary: "Create an API key",
    description:
      "The secret is in this answer only; the service keeps its SHA-256. With a project-scoped key, `project_id` must be that key's project.",
    tag: "API keys",
    credential: "any",
    permission: "keys",
    scope: "organization",
    body: z.strictObject({
      name: textUpTo(LIMITS.nameCharacters).optional().meta({ description: "A label." }),
      project_id: idInput("prj")
        .optional()
        .meta({ description: "Restricts the key to this project; trace ingest needs such a key." }),
    }),
    status: 201,
    answer: ApiKeyWithSecret,
    errors: ["not_found"],
  }),

  /** Lists keys: admins see the organization's, others those they created; a project-scoped key sees its project's. */
  list: operation({
    method: "GET",
    path: "/api/keys",
    summary: "List API keys",
    tag: "API keys",
    credential: "any",
    permission: "keys",
    scope: "organization",
    status: 200,
    answer: z.strictObject({ keys: z.array(ApiKey) }),
  }),

  /** Revokes a key; it stops working on the next request. Revoking again answers the same record. */
  revoke: operation({
    method: "POST",
    path: "/api/keys/{apiKeyId}/revoke",
    summary: "Revoke an API key",
    tag: "API keys",
    credential: "any",
    permission: "keys",
    scope: "organization",
    params: z.strictObject({ apiKeyId: idInput("key") }),
    status: 200,
    answer: ApiKey,
  }),
};
