import type { RequestListener } from "node:http";
import Koa, { type Middleware } from "koa";
import { AppError, MethodNotAllowed } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import { answerErrors } from "../../http/answer-errors.ts";
import { carriesToken } from "./token.ts";

const PATH = "/metrics";

/** Media type of a scrape, and the function that returns its text. */
export type Scrape = { contentType: string; text: () => Promise<string> };

/** Returns the middleware that serves `/metrics`. With a token, requests must send that token. */
export function createMetricsPage({ contentType, text }: Scrape, token: string | undefined): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PATH) return next();
    ctx.set("Cache-Control", "no-store");
    if (token !== undefined && !carriesToken(ctx.get("Authorization"), token))
      throw new AppError(
        "not_authenticated",
        "Send the value of SVC_METRICS_TOKEN as `Authorization: Bearer TOKEN`. API keys do not open this path.",
      );
    if (ctx.method !== "GET" && ctx.method !== "HEAD") throw new MethodNotAllowed(["GET", "HEAD"]);
    const body = await text();
    ctx.set("Content-Type", contentType);
    ctx.body = body;
  };
}

/** Returns the listener of the port that serves only `/metrics`. */
export function createMetricsListener(page: Middleware, log: Log): RequestListener {
  const koa = new Koa();
  koa.use(answerErrors(log));
  koa.use(page);
  koa.use(() => {
    throw new AppError("not_found", "This port answers only `GET /metrics`.");
  });
  return koa.callback();
}
