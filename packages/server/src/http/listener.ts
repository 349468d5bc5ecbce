import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { Operations } from "@svc/contract";
import Koa, { type Middleware } from "koa";
import type { ProjectsOfResources } from "../access/projects.ts";
import type { ServiceContext } from "../context.ts";
import { answerErrors, type EncodeError, type ObserveRequest } from "./answer-errors.ts";
import type { AnswerSlots } from "./answer-slots.ts";
import type { AuditTrail } from "./audited.ts";
import { createAuthenticate } from "./authenticate.ts";
import { allowOrigins } from "./cors.ts";
import { createInnerFetch } from "./inner-fetch.ts";
import { type AnswerMcp, serveMcp } from "./mcp.ts";
import { answerUnknown, type Routes, serveAll } from "./operation.ts";
import { createRefusedExports } from "./refused-exports.ts";
import { sendLargeBodies } from "./send-pieces.ts";
import { createBucket, createLimit } from "./shared-rate-limit.ts";
import { createProxyWatch } from "./unknown-proxy.ts";
import { createWebFiles } from "./web-files.ts";

const FAILED_CREDENTIALS_PER_MINUTE = 60;
/** Error codes of a client that disconnects, or that sends something other than HTTP. */
const OF_THE_CLIENT = /^(HPE_\w+|ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/;

/**
 * Returns a helpful message for a request that no operation serves, and the encoding of the message when it is not JSON; undefined
 * without a message.
 */
export type UnknownPathHint = (request: {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}) => { message: string; encode?: EncodeError } | undefined;

type ListenerOptions = {
  audit: AuditTrail;
  slots: AnswerSlots;
  checkAnswers: boolean;
  hintOf: UnknownPathHint;
  rateWindowMs: number | undefined;
  referencePage: Koa.Middleware;
  observe: ObserveRequest | undefined;
  /** Serves `/metrics`; undefined when this port does not serve it. */
  metricsPage: Koa.Middleware | undefined;
  /** Without this folder, the listener serves only the API. */
  webFolder?: string | undefined;
  answerMcp: AnswerMcp | undefined;
  stopping: AbortSignal;
};

export function createListener(
  { config, db, log, conditions, credentials, sessions, serviceUrl }: ServiceContext,
  {
    audit,
    slots,
    checkAnswers,
    hintOf,
    rateWindowMs,
    referencePage,
    observe,
    metricsPage,
    webFolder,
    answerMcp,
    stopping,
  }: ListenerOptions,
  routes: Routes<keyof Operations>,
  projectsOf: ProjectsOfResources,
): RequestListener {
  const operations = serveAll(routes, {
    db,
    projectsOf,
    authenticate: createAuthenticate(
      credentials,
      sessions,
      createLimit(db, "failed credentials", FAILED_CREDENTIALS_PER_MINUTE),
    ),
    keyUsed: credentials.used,
    requests: createLimit(db, "requests", config.rateLimitPerMinute, rateWindowMs),
    ingest:
      config.ingestRateLimitPerMinute === undefined ? undefined : createBucket(db, config.ingestRateLimitPerMinute),
    refusedExports: createRefusedExports(conditions, config.ingestRateLimitPerMinute !== undefined),
    audit,
    slots,
    checkAnswers,
  });

  const koa = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
  koa.on("error", ({ code = "", message, stack }: NodeJS.ErrnoException) => {
    // The log line of the request already reports an error of the client. The log gets no other member of `err`, because a parse error also
    // contains the bytes of the request, which can include an API key.
    if (!OF_THE_CLIENT.test(code)) log.error({ err: { code, message, stack } }, "writing an answer failed");
  });
  koa.use(sendLargeBodies);
  koa.use(answerErrors(log, observe));
  koa.use(secureHeaders(serviceUrl.startsWith("https:")));
  if (webFolder !== undefined) koa.use(createWebFiles(webFolder));
  koa.use(referencePage);
  if (metricsPage !== undefined) koa.use(metricsPage);
  if (config.corsOrigins.size > 0) koa.use(allowOrigins(config.corsOrigins));
  if (answerMcp !== undefined)
    koa.use(
      serveMcp({
        answer: answerMcp,
        sendFrom: createInnerFetch((...received) => handle(...received)),
        origins: new Set([...config.corsOrigins, new URL(serviceUrl).origin]),
        url: serviceUrl,
        stopping,
        report: (error) => log.error({ err: error }, "a tool of assistants failed"),
      }),
    );
  koa.use(operations);
  koa.use((ctx) => {
    const unknown = answerUnknown(ctx.path);
    const hint = hintOf(ctx);
    if (hint !== undefined) {
      unknown.message = hint.message;
      if (hint.encode !== undefined) ctx.state.encodeError = hint.encode;
    }
    throw unknown;
  });
  const handle = koa.callback();
  const watch = config.trustProxy ? undefined : createProxyWatch(conditions);
  return (request, response) => {
    watch?.(request);
    // Koa would trust this header as the host that a proxy reports. The proxies do not set it, so a client could choose its value.
    delete request.headers["x-forwarded-host"];
    return handle(request, response);
  };
}

/**
 * Sets security headers. When the public address uses https, they make browsers use only https for a year. The public address uses https
 * when SVC_BASE_URL says so (`isHttps`), or when a trusted proxy does.
 */
function secureHeaders(isHttps: boolean): Middleware {
  return async (ctx, next) => {
    ctx.set("X-Content-Type-Options", "nosniff");
    ctx.set("Referrer-Policy", "no-referrer");
    ctx.set("X-Frame-Options", "DENY");
    ctx.set("Cross-Origin-Opener-Policy", "same-origin");
    ctx.set("Cross-Origin-Resource-Policy", "same-origin");
    ctx.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
    if (isHttps || ctx.secure) ctx.set("Strict-Transport-Security", "max-age=31536000");
    await next();
  };
}
