import type { Middleware } from "koa";

/** Sets the headers of every answer. */
export const secureHeaders: Middleware = async (ctx, next) => {
  ctx.set("X-Content-Type-Options", "nosniff");
  ctx.set("Referrer-Policy", "no-referrer");
  ctx.set("X-Frame-Options", "DENY");
  await next();
};
