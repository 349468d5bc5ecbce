import { z } from "zod";
import { id, idInput, timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { DEFAULT_KEY_PERMISSIONS, KEY_PERMISSION_NAMES, KEY_PERMISSIONS } from "../core/permissions.ts";
import { nameText } from "../core/texts.ts";

/** Permission of an API key. */
export const ApiKeyPermission = z.enum(KEY_PERMISSION_NAMES).meta({
  id: "ApiKeyPermission",
  description: Object.entries(KEY_PERMISSIONS)
    .map(([name, { meaning }]) => `\`${name}\`: ${meaning}`)
    .join(" "),
});

/** API key without its secret. */
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
    permissions: z
      .array(ApiKeyPermission)
      .min(1)
      .meta({ description: "Permissions of the key. The current role of the key's creator limits them." }),
    created_by_user_id: id("usr"),
    created_at: timestamp(),
    expires_at: timestamp()
      .nullable()
      .meta({ description: "Time at which the key expires; null when it never expires." }),
    last_used_at: timestamp().nullable(),
    last_used_address: z.string().nullable().meta({
      description:
        "IP address of the client at the last use; null for a key that was not used since the service began to store this address.",
    }),
    revoked_at: timestamp().nullable(),
  })
  .meta({ id: "ApiKey" });

/** New API key with its secret. No later answer contains the secret. */
export const ApiKeyWithSecret = ApiKey.extend({
  secret: z.string().meta({ description: "The secret of the key. No later answer contains it." }),
}).meta({ id: "ApiKeyWithSecret" });

const common = { tag: "API keys", credential: "any", permission: "keys", scope: "organization" } as const;

/** Response header with the seconds until the API key of the request expires. Absent when the key never expires. */
export const KEY_EXPIRES_IN_HEADER = "Svc-Key-Expires-In";

/** API keys: of the whole organization, or of one project. */
export const keys = {
  /**
   * Creates an API key with the chosen permissions. The current role of the key's creator limits the permissions. The request needs a
   * session, or a key with the permission `admin`. A request with a project-scoped key must send the id of that key's project. A key that
   * expires cannot create a key that expires later.
   */
  create: operation({
    ...common,
    method: "POST",
    path: "/api/keys",
    summary: "Create an API key",
    description:
      "No later answer contains the secret; the service stores only its SHA-256 hash. A request with a project-scoped key must send the id of that key's project as `project_id`. A key that expires can create only keys that expire at the same time or earlier; without `expires_at`, the new key expires at the same time.",
    body: z.strictObject({
      name: nameText().optional().meta({ description: "Name of the key for people." }),
      project_id: idInput("prj")
        .optional()
        .meta({ description: "Limits the key to this project. Trace ingest requires a project-scoped key." }),
      permissions: z
        .array(ApiKeyPermission)
        .min(1)
        .max(KEY_PERMISSION_NAMES.length)
        .optional()
        .meta({
          description: `Permissions of the key. Default: \`${DEFAULT_KEY_PERMISSIONS.join("`, `")}\`, which is everything that its creator's role allows. A worker that only sends conversations needs only \`ingest\`.`,
        }),
      expires_at: timestampInput.optional().meta({
        description: `Time at which the key expires, at most ${LIMITS.keyYearsMax} years from now. Default: the key never expires, or expires with the key of the request.`,
        example: "2027-02-28T09:30:00Z",
      }),
    }),
    status: 201,
    answer: ApiKeyWithSecret,
    errors: ["not_found"],
  }),

  /**
   * Lists API keys. Admins see every key of the organization; other users see the keys that they created. A request with a
   * project-scoped key sees only the keys of that project.
   */
  list: operation({
    ...common,
    method: "GET",
    path: "/api/keys",
    audit: "read",
    summary: "List API keys",
    status: 200,
    answer: z.strictObject({ keys: z.array(ApiKey) }),
  }),

  /** Revokes a key: its next request gets 401. A second revocation returns the same record. */
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
