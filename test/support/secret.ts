import { randomBytes } from "node:crypto";

/** Returns a secret in the form of an API key. */
export const newSecret = (): string => `svc_sk_${randomBytes(32).toString("base64url")}`;
