import { randomUUID } from "node:crypto";
import type { ErrorBody } from "@svc/contract";
import type { ErrorCode } from "@svc/contract/constants";
import { type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { Context, Middleware } from "koa";
import { AppError, MethodNotAllowed } from "../base/errors.ts";
import type { Log } from "../base/log/log.ts";
import { inSpan } from "../base/own-spans.ts";
import { isStoreUnavailable } from "../stores/relational.ts";
import { ClientGone } from "./gone.ts";

/** Status in the log for a request whose client disconnected before the answer. */
const CLIENT_GONE = 499;

/**
 * Paths that load balancers, containers and monitors request every few seconds. They get no span, and no log line when the status is 200.
 */
const ASKED_OFTEN = new Set(["/health", "/ready", "/metrics"]);

/**
 * A request with its answer, for the log. `operation` is undefined when no operation serves the path; `refusal` is undefined when the
 * answer is no error.
 */
type AnsweredRequest = {
  operation: string | undefined;
  method: string;
  status: number;
  seconds: number;
  refusal: ErrorCode | undefined;
};
export type ObserveRequest = (request: AnsweredRequest) => void;

export function answerErrors(log: Log, observe?: ObserveRequest): Middleware {
  const answer = answerOne(log, observe);
  return (ctx, next) => {
    if (ASKED_OFTEN.has(ctx.path)) return answer(ctx, next);
    const attributes = { "http.request.method": ctx.method };
    return inSpan(ctx.method, { kind: SpanKind.SERVER, attributes, headers: ctx.headers }, async (span) => {
      await answer(ctx, next);
      describe(span, ctx);
    });
  };
}

function describe(span: Span, { state, respond, status }: Context): void {
  if (state.operation !== undefined) span.updateName(state.operation);
  span.setAttributes({
    "svc.request_id": state.requestId,
    ...(state.caller && { "svc.organization_id": state.caller.organizationId }),
    ...(respond !== false && { "http.response.status_code": status }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

function answerOne(log: Log, observe?: ObserveRequest): Middleware {
  return async (ctx, next) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    ctx.state.requestId = requestId;
    ctx.set("X-Request-Id", requestId);
    let refusal: AppError | undefined;
    try {
      await next();
    } catch (error) {
      if (error instanceof ClientGone) ctx.respond = false;
      else writeError(ctx, (refusal = refusalOf(error, log, requestId)));
    }
    const status = ctx.respond === false ? CLIENT_GONE : ctx.status;
    const tookMs = performance.now() - startedAt;
    const { operation } = ctx.state;
    observe?.({ operation, method: ctx.method, status, seconds: tookMs / 1000, refusal: refusal?.code });
    if (ASKED_OFTEN.has(ctx.path) && ctx.status === 200) return;
    log.info(
      {
        request_id: requestId,
        method: ctx.method,
        path: ctx.path,
        status,
        duration_ms: Math.round(tookMs * 10) / 10,
        ...(ctx.state.caller && { organization_id: ctx.state.caller.organizationId }),
      },
      "request",
    );
  };
}

/** Returns the error that the client receives. The message of an unexpected error appears only in the log. */
function refusalOf(error: unknown, log: Log, requestId: string): AppError {
  if (error instanceof AppError) return error;
  if (isStoreUnavailable(error)) {
    log.error({ request_id: requestId, err: error }, "a store is unavailable");
    return new AppError(
      "unavailable",
      "A store of the service is locked, or its disk is full or fails. Try again shortly. If this goes on, free space on the disk of the service.",
    );
  }
  log.error({ request_id: requestId, err: error }, "fault");
  return new AppError(
    "internal_error",
    "The service failed to answer this request. Its log holds the cause under the request id.",
    {
      request_id: requestId,
    },
  );
}

export function errorBody(error: AppError): ErrorBody {
  return { error: error.code, message: error.message, ...(error.details && { details: error.details }) };
}

/** Encodes an error. Trace ingest answers a protobuf request in protobuf. */
export type EncodeError = (error: AppError) => Encoded;
export type Encoded = { contentType: string; body: Buffer | string };

const encodeJson: EncodeError = (error) => ({
  contentType: "application/json",
  body: JSON.stringify(errorBody(error)),
});

function writeError(ctx: Context, error: AppError): void {
  if (error.code === "not_authenticated") ctx.set("WWW-Authenticate", "Bearer");
  if (error instanceof MethodNotAllowed) ctx.set("Allow", error.allow.join(", "));
  ctx.set({ ...error.headers });
  const waitSeconds = error.retryAfterSeconds ?? (error.status === 503 ? 1 : undefined);
  if (waitSeconds !== undefined) ctx.set("Retry-After", String(waitSeconds));
  const encode: EncodeError = ctx.state.encodeError ?? encodeJson;
  const { contentType, body } = encode(error);
  ctx.status = error.status;
  ctx.type = contentType;
  ctx.body = body;
}
