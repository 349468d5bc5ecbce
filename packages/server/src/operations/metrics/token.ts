import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../base/secrets/secrets.ts";

/** Returns whether a request has the bearer token. Compares digests in constant time. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)));
}
