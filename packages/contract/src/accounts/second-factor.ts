import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";

/** The code that an authenticator app shows now. Spaces in it do not matter. */
export const totpCode = z
  .string()
  .max(20)
  .regex(/^\s*(?:\d\s*){6}$/, "A code of an authenticator app has six digits.")
  .meta({ description: "The six digits that the authenticator app shows now.", example: "492039" });

/** A recovery code. Case, spaces and hyphens do not matter. */
export const recoveryCode = z.string().min(1).max(60).meta({
  description: "One of the recovery codes, which works once in place of a code.",
  example: "k3vq-9c2n-7wzd-p5xt",
});

const password = z.string().min(1).max(LIMITS.passwordCharactersMax);

/** The codes that open the account without its authenticator app, each once. Only the answer to their creation holds them. */
const NewRecoveryCodes = z.strictObject({
  recovery_codes: z
    .array(z.string())
    .length(LIMITS.recoveryCodes)
    .meta({ description: "Each works once in place of a code. Only this answer holds them." }),
});

const own = { tag: "Accounts", credential: "session", permission: "read", scope: "organization" } as const;

/** The second factor of the signed-in person: what a sign-in with the password asks for besides. */
export const secondFactor = {
  /** Returns whether the account has an authenticator app, and how many recovery codes are left. */
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

  /** Returns a new secret for an authenticator app. Nothing changes until `enable` gets the secret back with its first code. */
  newSecret: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/secret",
    summary: "Make a secret for an authenticator app",
    description:
      "Nothing changes until `/api/auth/second-factor/enable` gets the secret back with its first code. The service stores nothing yet.",
    status: 200,
    answer: z.strictObject({
      secret: z.string().meta({ description: "The secret in Base32, to type into the app." }),
      uri: z.string().meta({ description: "The `otpauth://` address of the secret, to show as a QR code." }),
    }),
  }),

  /**
   * Makes the authenticator app with this secret the second factor, and returns the recovery codes. It needs the password, and the
   * code that the app shows now. Refuses an account that has an authenticator app.
   */
  enable: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/enable",
    summary: "Ask for codes of an authenticator app at sign-in",
    description:
      "From now on a sign-in with the password also needs a code. The answer holds the recovery codes. The other sessions of the user go on.",
    body: z.strictObject({
      password,
      secret: z
        .string()
        .regex(/^[A-Z2-7]{32}$/)
        .meta({ description: "The secret of `/api/auth/second-factor/secret`." }),
      code: totpCode,
    }),
    status: 200,
    answer: NewRecoveryCodes,
    errors: ["conflict"],
  }),

  /** Replaces all recovery codes by new ones. It needs the password and a code of the app. */
  newRecoveryCodes: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/recovery-codes",
    summary: "Replace the recovery codes",
    body: z.strictObject({ password, code: totpCode }),
    status: 200,
    answer: NewRecoveryCodes,
    errors: ["conflict"],
  }),

  /** Removes the authenticator app and the recovery codes. It needs the password, and a code or a recovery code. */
  disable: operation({
    ...own,
    method: "POST",
    path: "/api/auth/second-factor/disable",
    summary: "Turn the second factor off",
    description: "Needs the password, and a `code` or a `recovery_code`. From then on the password alone signs in.",
    body: z.strictObject({ password, code: totpCode.optional(), recovery_code: recoveryCode.optional() }),
    status: 204,
    errors: ["conflict"],
  }),
};
