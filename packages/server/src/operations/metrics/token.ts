import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../base/secrets/secrets.ts";

/** Returns whether a request's `Authorization` header carries the token. Digests are compared, in a time that does not depend on them. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)));
}
