import { allOperations, KEY_EXPIRES_IN_HEADER } from "@svc/contract";
import type { Middleware } from "koa";

const METHODS = [...new Set(allOperations.map(({ operation }) => operation.method))].join(", ");

/** Request headers that a page of another origin may send. Such a page sends an API key. The cookie of a session is not in the list. */
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "Content-Encoding",
  ...new Set(allOperations.flatMap(({ operation }) => Object.values(operation.headers ?? {}))),
  // Headers of the Model Context Protocol.
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
].join(", ");

/** Answer headers that a page of another origin may read, besides the headers that browsers always expose. */
const ANSWER_HEADERS = `X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ${KEY_EXPIRES_IN_HEADER}`;

/** Two hours. Chrome does not cache a preflight for longer. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Returns the middleware that lets pages of these origins call the API with a key, and answers their preflights. It never allows
 * credentials, so browsers hide the answers to requests with a session's cookie from such a page. Requests of other origins pass
 * unchanged.
 */
export function allowOrigins(origins: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    const origin = ctx.get("origin");
    if (!origins.has(origin)) return next();
    ctx.set("Access-Control-Allow-Origin", origin);
    ctx.vary("Origin");
    if (ctx.method !== "OPTIONS" || ctx.get("access-control-request-method") === "") {
      ctx.set("Access-Control-Expose-Headers", ANSWER_HEADERS);
      return next();
    }
    ctx.set("Access-Control-Allow-Methods", METHODS);
    ctx.set("Access-Control-Allow-Headers", REQUEST_HEADERS);
    ctx.set("Access-Control-Max-Age", String(PREFLIGHT_SECONDS));
    ctx.status = 204;
  };
}
