import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";

/** Code that an authenticator app shows now: six digits. Spaces are ignored. */
export const totpCode = z
  .string()
  .max(20)
  .regex(/^\s*(?:\d\s*){6}$/, "A code of an authenticator app has six digits.")
  .meta({ description: "The six digits that the authenticator app shows now.", example: "492039" });

/** Recovery code of an account. Case, spaces and hyphens are ignored. */
export const recoveryCode = z.string().min(1).max(60).meta({
  description: "One of the account's recovery codes. Each works once, in place of another second factor.",
  example: "k3vq-9c2n-7wzd-p5xt",
});

const bytes = (characters: number) =>
  z
    .string()
    .min(1)
    .max(characters)
    .regex(/^[\w-]+$/, "Send base64url without padding.");

/** Signature of a passkey over a challenge of the service. */
export const PasskeyProof = z
  .strictObject({
    id: bytes(1_400),
    client_data: bytes(8_000),
    authenticator_data: bytes(4_000),
    signature: bytes(4_000),
  })
  .meta({
    id: "PasskeyProof",
    description:
      "Result of `navigator.credentials.get` for a challenge of `/api/auth/passkeys/challenge`: the id, `clientDataJSON`, `authenticatorData` and `signature`, each in base64url.",
  });

/** Body members with which a person proves the second factor. One of them is enough. */
export const shownFactor = {
  code: totpCode.optional(),
  recovery_code: recoveryCode.optional(),
  passkey: PasskeyProof.optional(),
} as const;

const password = z.string().min(1).max(LIMITS.passwordCharactersMax);

const recovery_codes = z.array(z.string()).length(LIMITS.recoveryCodes).meta({
  description: "Each code works once, in place of another second factor. No later answer contains the codes.",
});

/** Answer to a request that adds a second factor. It contains recovery codes when the account had none. */
export const NewFactor = z.strictObject({
  recovery_codes: recovery_codes.nullable().meta({
    description:
      "Each code works once, in place of another second factor. No later answer contains the codes. Null when the account already has recovery codes.",
  }),
});

const own = { tag: "Accounts", credential: "session", permission: "read", scope: "organization" } as const;

/** Second factor of the signed-in person: an authenticator app, and recovery codes. */
export const secondFactor = {
  /** Returns whether the account has an authenticator app, and the number of unused recovery codes. */
  get: operation({
    ...own,
    method: "GET",
    path: "/api/auth/second-factor",
    summary: "Show the second factor",
    status: 200,
    answer: z
      .strictObject({
        authenticator: z
          .boolean()
          .meta({ description: "Whether a sign-in asks for the code of an authenticator app." }),
        recovery_codes_left: count("Number of recovery codes that were not used yet."),
      })
      .meta({ id: "SecondFactor" }),
  }),

  /**
   * Returns a new secret for an authenticator app, and stores nothing. Send the secret to `enable` with the first code that the app shows
   * for it.
   */
  newSecret: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/secret",
    audit: { leftOut: "It stores nothing. The audit has a line for the request that enables the secret." },
    summary: "Make a secret for an authenticator app",
    description:
      "The service stores nothing. Send the secret to `/api/auth/second-factor/enable` with the first code that the app shows for it.",
    status: 200,
    answer: z.strictObject({
      secret: z.string().meta({ description: "The secret in Base32, to type into the app." }),
      uri: z.string().meta({ description: "The `otpauth://` address of the secret, to show as a QR code." }),
    }),
  }),

  /**
   * Makes the authenticator app with this secret a second factor. Requires the password, and the code that the app shows now. An
   * account with passkeys must also send a `passkey` or a `recovery_code`. The answer contains new recovery codes; null when the
   * account already has some. Answers 409 `conflict` when the account already has an authenticator app.
   */
  enable: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/enable",
    audit: "account",
    summary: "Ask for codes of an authenticator app at sign-in",
    description:
      "From then on, a sign-in with the password also requires a second factor, such as a code of the app. The answer contains recovery codes when the account had none. When the account has passkeys, this request must also contain a `passkey` or a `recovery_code`. The user's other sessions continue.",
    body: z.strictObject({
      password,
      secret: z
        .string()
        .regex(/^[A-Z2-7]{32}$/)
        .meta({ description: "The secret of `/api/auth/second-factor/secret`." }),
      code: totpCode,
      recovery_code: recoveryCode.optional(),
      passkey: PasskeyProof.optional(),
    }),
    status: 200,
    answer: NewFactor,
    errors: ["conflict"],
  }),

  /** Replaces all recovery codes by new codes. Requires the password and a second factor. */
  newRecoveryCodes: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/recovery-codes",
    audit: "account",
    summary: "Replace the recovery codes",
    body: z.strictObject({ password, ...shownFactor }),
    status: 200,
    answer: z.strictObject({ recovery_codes }),
    errors: ["conflict"],
  }),

  /** Removes the authenticator app. Requires the password and a second factor. */
  disable: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/disable",
    audit: "account",
    summary: "Remove the authenticator app",
    description:
      "Requires the password, and a `code`, a `recovery_code` or a `passkey`. Passkeys stay. When the account has no passkey, its recovery codes are deleted too.",
    body: z.strictObject({ password, ...shownFactor }),
    status: 204,
    errors: ["conflict"],
  }),
};
