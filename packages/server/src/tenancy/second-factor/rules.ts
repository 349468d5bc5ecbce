import { AppError } from "../../base/errors.ts";
import type { GivenProof } from "./passkey-proof.ts";
import { sha256 } from "../../base/secrets/secrets.ts";

export type Shown = {
  code?: string | undefined;
  recovery_code?: string | undefined;
  passkey?: GivenProof | undefined;
};

/** Returns the digest of a recovery code, in which letter case and separators do not count. */
export const recoveryDigest = (userId: string, typed: string): string =>
  sha256(`${userId} ${typed.toLowerCase().replaceAll(/[^0-9a-z]/g, "")}`);

const WRONG = "This code is wrong, was used already, or is of another time. Wait for the next code and type that one.";
const MISSING =
  "This account also needs its second factor: a code of its authenticator app, a passkey, or a recovery code.";

/**
 * The error of a sign-in without the second factor. Only a person who knows the password gets it, so nobody else learns that the account
 * has a second factor.
 */
export const factorMissing = () => atSignIn(MISSING);
export const wrongFactor = () => atSignIn(WRONG);

const atSignIn = (message: string) =>
  new AppError("not_authenticated", message, { missing: "code", issues: [{ path: "code", message }] });

export const factorMissingForChange = () => atChange(MISSING);
export const wrongFactorForChange = () => atChange(WRONG);

const atChange = (message: string) => new AppError("not_permitted", message, { issues: [{ path: "code", message }] });

export const unreadableSecret = () =>
  new AppError(
    "conflict",
    "The service cannot read the secret of this authenticator app, because the encryption key that sealed it is missing. Use a recovery code, or ask whoever runs the service for that key.",
  );

export const hasFactorAlready = () =>
  new AppError("conflict", "This account has an authenticator app already. Remove it first.");

export const hasNoFactor = () =>
  new AppError("conflict", "This account has no second factor. Set an authenticator app up first, or add a passkey.");

export const hasNoApp = () => new AppError("conflict", "This account has no authenticator app.");

/**
 * Changes `not_permitted` to `not_authenticated`, because at a sign-in the proof is wrong and no permission is missing.
 */
export function passkeyRefusedAtSignIn(error: unknown): never {
  if (error instanceof AppError && error.code === "not_permitted")
    throw new AppError("not_authenticated", error.message);
  throw error;
}
