import { z } from "zod";
import { id } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nameText, textUpTo } from "../core/texts.ts";

/** Grant type with which a device requests its token (RFC 8628, section 3.4). */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

const user_code = z.string().trim().min(1).max(20).meta({
  description: "The code that the device shows. Case, spaces and hyphens do not matter.",
  example: "BDWP-HQPK",
});

const isPublic = { tag: "Accounts", credential: "public", scope: "none", method: "POST" } as const;
const byPerson = { tag: "Accounts", credential: "session", permission: "keys", scope: "organization" } as const;
const decision = {
  ...byPerson,
  method: "POST",
  body: z.strictObject({ user_code }),
  status: 204,
  errors: ["not_found", "conflict"],
} as const;

/**
 * Sign-in of a device, such as a command line, which a person approves in a browser: the device authorization grant of OAuth 2.0 (RFC
 * 8628).
 */
export const device = {
  /** Starts the sign-in of a device. The device shows `user_code`, and requests its API key with `device_code`. */
  code: operation({
    ...isPublic,
    path: "/api/device/code",
    audit: { leftOut: "The person is not known yet. The audit has lines for the approval and for the new key." },
    acceptsForm: true,
    summary: "Start the sign-in of a device",
    description:
      "RFC 8628, section 3.1. The device shows `user_code` and requests `/api/device/token` every `interval` seconds until a signed-in person approves the code.",
    body: z.strictObject({
      client_name: nameText().optional().meta({
        description: "Name of the device. The person sees it before the approval, and the API key gets this name.",
      }),
      client_id: textUpTo(LIMITS.nameCharacters).optional().meta({ description: "Accepted and ignored." }),
      scope: z.string().max(LIMITS.nameCharacters).optional().meta({ description: "Accepted and ignored." }),
    }),
    status: 200,
    answer: z.strictObject({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      expires_in: count("Seconds until both codes expire."),
      interval: count("Seconds to wait between two requests for the token."),
    }),
    errors: ["too_many_requests"],
  }),

  /**
   * Returns the device's API key after a person approved the code. Until then the error is `authorization_pending`, or
   * `slow_down` when the device asks too often.
   */
  token: operation({
    ...isPublic,
    path: "/api/device/token",
    audit: "account",
    acceptsForm: true,
    summary: "Ask for the key of a device",
    description:
      "RFC 8628, section 3.4. `access_token` is an API key of the organization that the person chose, with the person's current role and the name of the device. `svc keys list` shows the key, and `svc keys revoke` revokes it. No later answer contains the key. A device code gives only one key.",
    body: z.strictObject({
      grant_type: z
        .string()
        .min(1)
        .max(200)
        .meta({ description: `\`${DEVICE_GRANT}\`.` }),
      device_code: z.string().min(1).max(200),
      client_id: textUpTo(LIMITS.nameCharacters).optional().meta({ description: "Accepted and ignored." }),
    }),
    status: 200,
    answer: z.strictObject({
      access_token: z.string().meta({ description: "An API key, `svc_sk_…`." }),
      token_type: z.literal("Bearer"),
      organization: z.strictObject({ id: id("org"), name: z.string() }),
    }),
    errors: [
      "authorization_pending",
      "slow_down",
      "access_denied",
      "expired_token",
      "invalid_grant",
      "unsupported_grant_type",
      "too_many_requests",
    ],
  }),

  /** Returns the name of the device that shows a user code. A person checks the name before the approval. */
  get: operation({
    ...byPerson,
    method: "GET",
    path: "/api/device",
    audit: { leftOut: "It only shows the name of a device. The audit has a line for the approval or the denial." },
    summary: "Show the device behind a user code",
    query: z.strictObject({ user_code }),
    status: 200,
    answer: z.strictObject({
      client_name: z.string(),
      status: z.enum(["pending", "approved", "denied"]),
      expires_in: count("Seconds until the code expires."),
    }),
    errors: ["not_found"],
  }),

  /** Approves a device. The device gets an API key of the session's organization with the user's role. */
  approve: operation({
    ...decision,
    path: "/api/device/approve",
    summary: "Approve a device",
    description:
      "The device gets an API key of the session's organization with the user's role. Approve only a code that you see on your own device.",
  }),

  /** Denies a device. The next request of the device gets `access_denied`. */
  deny: operation({ ...decision, path: "/api/device/deny", summary: "Deny a device" }),
};
