import type { RequestListener } from "node:http";
import Koa, { type Middleware } from "koa";
import { AppError, MethodNotAllowed } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import { answerErrors } from "../../http/answer-errors.ts";
import { carriesToken } from "./token.ts";

const PATH = "/metrics";

export type Scrape = { contentType: string; text: () => Promise<string> };

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

export function createMetricsListener(page: Middleware, log: Log): RequestListener {
  const koa = new Koa();
  koa.use(answerErrors(log));
  koa.use(page);
  koa.use(() => {
    throw new AppError("not_found", "This port answers only `GET /metrics`.");
  });
  return koa.callback();
}
