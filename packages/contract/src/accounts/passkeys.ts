import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { nameText } from "../core/texts.ts";
import { Session } from "./accounts.ts";
import { NewFactor, PasskeyProof, shownFactor } from "./second-factor.ts";

const bytes = (characters: number, description: string) =>
  z
    .string()
    .min(1)
    .max(characters)
    .regex(/^[\w-]+$/, "Send base64url without padding.")
    .meta({ description: `${description}, in base64url.` });

const password = z.string().min(1).max(LIMITS.passwordCharactersMax);
const isPublic = { tag: "Accounts", credential: "public", scope: "none", method: "POST" } as const;
const own = {
  tag: "Accounts",
  credential: "session",
  permission: "read",
  scope: "organization",
  method: "POST",
} as const;

const rp_id = z.string().meta({
  description: "The relying party id of WebAuthn, which is the host name of the service.",
  example: "svc.example.com",
});
const challenge = z
  .string()
  .meta({ description: "The challenge to sign, in base64url. It is valid for one signature, within five minutes." });

/** Passkey of a person. */
export const Passkey = z
  .strictObject({
    id: id("psk"),
    name: z.string(),
    rp_id: z.string().meta({ description: "The host name of the service for which the passkey works." }),
    created_at: timestamp(),
    last_used_at: timestamp().nullable(),
  })
  .meta({ id: "Passkey" });

/** Passkeys (WebAuthn Level 3): sign-in without a password, on a device that verifies its user. */
export const passkeys = {
  /** Lists the passkeys of the signed-in person, oldest first. */
  list: operation({
    ...own,
    method: "GET",
    path: "/api/auth/passkeys",
    summary: "List the user's passkeys",
    status: 200,
    answer: z.strictObject({ passkeys: z.array(Passkey) }),
  }),

  /**
   * Returns the options with which a browser creates a passkey. Requires the password, and the second factor when the account has
   * one.
   */
  options: operation({
    ...own,
    path: "/api/auth/passkeys/options",
    audit: "account",
    summary: "Start to add a passkey",
    description:
      "Requires the password, and a second factor when the account has one. Pass the answer to `navigator.credentials.create`.",
    body: z.strictObject({ password, ...shownFactor }),
    status: 200,
    answer: z.strictObject({
      challenge,
      rp_id,
      user: z.strictObject({
        id: z.string().meta({ description: "In base64url." }),
        name: z.string(),
        display_name: z.string(),
      }),
      algorithms: z.array(z.int()).meta({
        description: "COSE numbers of the allowed signature algorithms, the preferred algorithm first.",
      }),
      exclude: z.array(z.string()).meta({ description: "Ids of the account's existing passkeys, in base64url." }),
    }),
    errors: ["conflict"],
  }),

  /** Stores a new passkey. From then on, a sign-in with the password also requires a second factor, such as the passkey. */
  add: operation({
    ...own,
    path: "/api/auth/passkeys",
    audit: "account",
    summary: "Add a passkey",
    description:
      "From then on, a sign-in with the password also requires a second factor, such as the passkey. The answer contains recovery codes when the account had none.",
    body: z.strictObject({
      name: nameText(),
      id: bytes(1_400, "The id of the credential"),
      client_data: bytes(8_000, "`clientDataJSON`"),
      authenticator_data: bytes(4_000, "The result of `getAuthenticatorData()`"),
      public_key: bytes(4_000, "The result of `getPublicKey()`"),
      algorithm: z.int().meta({ description: "The result of `getPublicKeyAlgorithm()`." }),
    }),
    status: 201,
    answer: NewFactor.extend({ passkey: Passkey }),
    errors: ["conflict"],
  }),

  /** Removes a passkey. Requires the password and a second factor. */
  remove: operation({
    ...own,
    path: "/api/auth/passkeys/remove",
    audit: "account",
    summary: "Remove a passkey",
    body: z.strictObject({ passkey_id: idInput("psk"), password, ...shownFactor }),
    status: 204,
    errors: ["not_found"],
  }),

  /** Returns a challenge for a passkey to sign. The signature signs a person in, or proves the second factor. */
  challenge: operation({
    ...isPublic,
    path: "/api/auth/passkeys/challenge",
    audit: { leftOut: "The person is not known yet. The audit has a line for the sign-in." },
    summary: "Ask for a challenge to sign with a passkey",
    description: "Pass the answer to `navigator.credentials.get`.",
    status: 200,
    answer: z.strictObject({ challenge, rp_id }),
    errors: ["too_many_requests"],
  }),

  /** Signs a person in with a passkey and no password, and sets the session cookie. */
  signIn: operation({
    ...isPublic,
    path: "/api/auth/passkeys/sign-in",
    audit: "account",
    summary: "Sign in with a passkey",
    description:
      "The device with the passkey verifies its user, so neither a password nor a second factor is required.",
    body: z.strictObject({ passkey: PasskeyProof, organization_id: idInput("org").optional() }),
    status: 200,
    answer: Session,
    errors: ["not_authenticated", "not_permitted", "not_found", "too_many_requests"],
  }),
};
