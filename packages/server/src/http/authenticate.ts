import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "@svc/contract";
import type { Caller } from "../access/caller.ts";
import { type Credentials, isExpired } from "../access/credentials.ts";
import type { Sessions } from "../access/sessions.ts";
import { AppError } from "../base/errors.ts";
import { blockOf } from "./address-block.ts";
import { type SharedRateLimit, tooManyRequests } from "./rate-limit.ts";

const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export type Authenticate = (op: Operation, request: Incoming) => Promise<Caller>;
type Incoming = {
  method: string;
  query: string;
  headers: IncomingHttpHeaders;
  clientAddress: string;
  origin: string;
};

/**
 * Creates the function that finds the caller of a request. If the request has an `Authorization` header, only that header counts. After
 * many failures from one address, further failures get 429. A request with a valid credential still succeeds, so that a worker with a wrong
 * key cannot block other workers at the same address.
 */
export function createAuthenticate(
  credentials: Credentials,
  sessions: Sessions,
  failures: SharedRateLimit,
): Authenticate {
  return async (op, request) => {
    const caller = await resolve(op, request);
    if (caller && !isExpired(caller, new Date())) return caller;
    const window = await failures.count(blockOf(request.clientAddress));
    if (window.exceeded) {
      throw tooManyRequests(
        window,
        "Too many requests without a valid credential came from this address. Wait, then send a valid one.",
      );
    }
    throw caller ? keyExpired(caller) : notAuthenticated(op, request.query);
  };

  async function resolve(op: Operation, { method, headers, origin }: Incoming): Promise<Caller | undefined> {
    if (headers.authorization !== undefined) {
      if (op.credential === "session") return undefined;
      const [, secret] = /^Bearer +(\S+) *$/i.exec(headers.authorization) ?? [];
      return secret === undefined ? undefined : credentials.callerOf(secret);
    }
    if (op.credential === "bearer" || headers.cookie === undefined) return undefined;
    const caller = await sessions.callerOf(headers);
    if (caller && UNSAFE.has(method)) requireSameOrigin(headers.origin, origin, sessions.origins);
    return caller;
  }
}

/** Returns the origin of the service in a request. Behind a trusted proxy, its scheme is the one that the proxy reports. */
export const ownOrigin = ({ protocol, host }: { protocol: string; host: string }): string => `${protocol}://${host}`;

/** Throws when a page of another origin sent the request. Browsers send the page's origin with every unsafe request. */
export function requireSameOrigin(sent: string | undefined, own: string, origins: ReadonlySet<string>): void {
  if (sent !== undefined && (origins.has(sent) || sent === own)) return;
  throw new AppError(
    "not_permitted",
    "A session may change data only from the service's pages. Elsewhere, use an API key. Behind a proxy, set SVC_BASE_URL to the public address.",
  );
}

const keyExpired = ({ keyExpiresAt }: Caller) =>
  new AppError(
    "not_authenticated",
    `This API key expired at ${keyExpiresAt}. Create another one with \`svc keys create\` and send it instead.`,
  );

function notAuthenticated(op: Operation, query: string): AppError {
  const remedy =
    op.credential === "session"
      ? "Sign in at /api/auth/sign-in/email and send the session cookie."
      : "Send `Authorization: Bearer svc_sk_…` with a valid API key. `svc keys create` creates one.";
  const inAddress = /=svc_sk_/.test(query)
    ? " A key in the address is not read; proxies and histories keep it there, so revoke that key."
    : "";
  return new AppError("not_authenticated", `The request has no valid credential. ${remedy}${inAddress}`);
}
