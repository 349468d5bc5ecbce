import { createHmac, timingSafeEqual } from "node:crypto";
import { newToken } from "../../base/secrets/secrets.ts";

/** Tokens with which agents call mocked tools. */
export type CallbackTokens = {
  create: () => string;
  /** Returns whether a process with the same secret made the token; false without a secret. */
  isOurs: (token: string) => boolean;
};

/** Signs tokens with the secret that all processes share. A process alone knows its tokens and signs none. */
export function createCallbackTokens(secret: string | undefined): CallbackTokens {
  if (secret === undefined) return { create: newToken, isOurs: () => false };
  const signed = (random: string) =>
    random + createHmac("sha256", secret).update(`callback ${random}`).digest("base64url");
  const { length } = newToken();
  return {
    create: () => signed(newToken()),
    isOurs(token) {
      const [given, expected] = [token, signed(token.slice(0, length))].map((text) => Buffer.from(text));
      return given!.length === expected!.length && timingSafeEqual(given!, expected!);
    },
  };
}
