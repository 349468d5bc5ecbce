import { allOperations, KEY_EXPIRES_IN_HEADER } from "@svc/contract";
import type { Middleware } from "koa";

const METHODS = [...new Set(allOperations.map(({ operation }) => operation.method))].join(", ");

/** The headers of requests that a page of another origin may send. It sends a key: a session's cookie is not among them. */
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "Content-Encoding",
  ...new Set(allOperations.flatMap(({ operation }) => Object.values(operation.headers ?? {}))),
  // Of the Model Context Protocol.
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
].join(", ");

/** The headers of answers that such a page may read, beside those that every page may. */
const ANSWER_HEADERS = `X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ${KEY_EXPIRES_IN_HEADER}`;

/** Chrome asks again after two hours in any case. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Returns the middleware that lets pages of these origins call the API with a key, and answers their preflights. It never allows
 * credentials, so that browsers give such a page no answer to a request with a session's cookie. Requests of every other origin pass
 * as if it were not there.
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
