import type { RequestListener } from "node:http";
import Router from "@koa/router";
import type { Operations } from "@svc/contract";
import Koa from "koa";
import type { ProjectsOfResources } from "../access/projects.ts";
import type { Ground } from "../ground.ts";
import { answerErrors } from "./answer-errors.ts";
import type { AnswerTurns } from "./answer-turns.ts";
import { createAuthenticate } from "./authenticate.ts";
import { answerUnknown, type Routes, serveAll } from "./operation.ts";
import { createRateLimit } from "./rate-limit.ts";
import { secureHeaders } from "./secure-headers.ts";
import { createTokenBucket } from "./token-bucket.ts";

const FAILED_CREDENTIALS_PER_MINUTE = 60;

/** Returns the listener that answers every request of the interface. */
export function createListener(
  { config, db, log, credentials, sessions }: Ground,
  { turns, checkAnswers }: { turns: AnswerTurns; checkAnswers: boolean },
  routes: Routes<keyof Operations>,
  projectsOf: ProjectsOfResources,
): RequestListener {
  const router = new Router();
  serveAll(router, routes, {
    db,
    projectsOf,
    authenticate: createAuthenticate(credentials, sessions, createRateLimit(FAILED_CREDENTIALS_PER_MINUTE)),
    keyUsed: credentials.used,
    requests: createRateLimit(config.rateLimitPerMinute),
    ingest:
      config.ingestRateLimitPerMinute === undefined ? undefined : createTokenBucket(config.ingestRateLimitPerMinute),
    turns,
    checkAnswers,
  });

  const koa = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
  koa.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") log.error({ err: error }, "writing an answer failed");
  });
  koa.use(answerErrors(log));
  koa.use(secureHeaders);
  koa.use(router.routes());
  koa.use((ctx) => {
    throw answerUnknown(ctx.path);
  });
  return koa.callback();
}
