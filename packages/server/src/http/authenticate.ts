import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "@svc/contract";
import type { Caller } from "../access/caller.ts";
import type { Credentials } from "../access/credentials.ts";
import type { Sessions } from "../access/sessions.ts";
import { AppError } from "../errors.ts";
import { type RateLimit, tooManyRequests } from "./rate-limit.ts";

const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export type Authenticate = (op: Operation, request: Incoming) => Promise<Caller>;
type Incoming = { method: string; headers: IncomingHttpHeaders; clientAddress: string };

/**
 * Resolves the credential. `Authorization`, when present, alone decides. An address that keeps failing is slowed down; a
 * valid credential from it passes, for behind one address there may be many workers, and only one with a wrong key.
 */
export function createAuthenticate(credentials: Credentials, sessions: Sessions, failures: RateLimit): Authenticate {
  return async (op, request) => {
    const caller = await resolve(op, request);
    if (caller) return caller;
    const window = failures.count(request.clientAddress);
    if (window.exceeded) {
      throw tooManyRequests(
        window,
        "Too many requests without a valid credential came from this address; wait and send one.",
      );
    }
    throw notAuthenticated(op);
  };

  async function resolve(op: Operation, { method, headers }: Incoming): Promise<Caller | undefined> {
    if (headers.authorization !== undefined) {
      if (op.credential === "session") return undefined;
      const [, secret] = /^Bearer +(\S+) *$/i.exec(headers.authorization) ?? [];
      return secret === undefined ? undefined : credentials.callerOf(secret);
    }
    if (op.credential === "bearer" || headers.cookie === undefined) return undefined;
    const caller = await sessions.callerOf(headers);
    if (caller && UNSAFE.has(method)) requireSameOrigin(headers, sessions.origins);
    return caller;
  }
}

/** A browser sends its own origin with every unsafe request; another site's page cannot. */
export function requireSameOrigin(headers: IncomingHttpHeaders, origins: ReadonlySet<string>): void {
  const sent = headers.origin;
  if (sent !== undefined && (origins.has(sent) || isOwnHost(sent, headers.host))) return;
  throw new AppError(
    "not_permitted",
    "A session may change things from the service's own pages only; elsewhere use an API key.",
  );
}

function isOwnHost(origin: string, host: string | undefined): boolean {
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
}

function notAuthenticated(op: Operation): AppError {
  const mend =
    op.credential === "session"
      ? "Sign in at /api/auth/sign-in/email and send the session cookie."
      : "Send `Authorization: Bearer svc_sk_…` with a live API key; `svc keys create` makes one.";
  return new AppError("not_authenticated", `No valid credential came with the request. ${mend}`);
}
