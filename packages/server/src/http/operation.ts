import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type Router from "@koa/router";
import type { Answer, Operation } from "@svc/contract";
import { LIMITS } from "@svc/contract";
import type { Context } from "koa";
import { z } from "zod";
import type { Caller, Project } from "../access/caller.ts";
import { requirePermission } from "../access/permissions.ts";
import { selectProject } from "../access/projects.ts";
import { AppError, MethodNotAllowed } from "../errors.ts";
import type { Db } from "../stores/relational.ts";
import type { Encoded, EncodeError } from "./answer-errors.ts";
import type { Authenticate } from "./authenticate.ts";
import { readJson } from "./body.ts";
import { type RateLimit, tooManyRequests } from "./rate-limit.ts";
import { validateBody, validateQuery } from "./validate.ts";

type OutputOf<S> = S extends z.ZodObject ? z.output<S> : undefined;

/** What a route is handed: who asks, in which project, with what. */
export type Asked<O extends Operation> = {
  caller: O["credential"] extends "public" ? undefined : Caller;
  project: O["scope"] extends "project" ? Project : undefined;
  params: OutputOf<O["params"]>;
  query: OutputOf<O["query"]>;
  body: OutputOf<O["body"]>;
  headers: O["headers"] extends Record<string, string> ? { [Name in keyof O["headers"]]?: string } : undefined;
  http: Context;
  /** Whether the credential would be let in now, for an answer that goes on for long. */
  stillAdmitted: () => Promise<boolean>;
};

export type Route = { op: Operation; handle: (asked: never) => Promise<unknown>; encoding?: Encoding };

/** How a route writes its answers and errors, chosen by the request's headers; JSON when it has none. */
export type Encoding = (headers: IncomingHttpHeaders) => { answer: (answer: unknown) => Encoded; error: EncodeError };

/** Pairs an operation with the function that answers it. */
export const route = <O extends Operation>(
  op: O,
  handle: (asked: Asked<O>) => Promise<O["answer"] extends "event-stream" ? Readable : Answer<O>>,
  encoding?: Encoding,
): Route => ({ op, handle, ...(encoding && { encoding }) });

type Edge = {
  db: Db;
  authenticate: Authenticate;
  requests: RateLimit;
  /** Specs check every answer against its own schema. */
  checkAnswers: boolean;
};

/** Mounts a route: credential, rate limit, permission, project, input, in this order, before its handler is asked. */
export function serve(router: Router, edge: Edge, { op, handle, encoding }: Route): void {
  router.register(op.path.replaceAll(/\{(\w+)\}/g, ":$1"), [op.method], async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const encode = encoding?.(ctx.headers);
    ctx.state.encodeError = encode?.error;
    const caller = op.credential === "public" ? undefined : await admit(ctx, edge, op);
    const params = op.params && validateQuery(op.params, ctx.params);
    const query = readQuery(ctx, op);
    const headers = op.headers && readHeaders(ctx, op.headers);
    const body = await readInput(ctx, op);
    const project =
      op.scope === "project"
        ? await selectProject(edge.db, caller!, projectNamed(query) ?? projectNamed(body))
        : undefined;
    const stillAdmitted = () => isLetIn(ctx, edge, op);
    const answer = await handle({ caller, project, params, query, body, headers, http: ctx, stillAdmitted } as never);
    if (edge.checkAnswers) checkAnswer(op, answer);
    ctx.status = ctx.state.status ?? op.status;
    write(ctx, op.status === 204 ? null : answer, encode?.answer);
  });
}

function write(ctx: Context, answer: unknown, encode: ((answer: unknown) => Encoded) | undefined): void {
  if (!encode) {
    ctx.body = answer;
    return;
  }
  const { contentType, body } = encode(answer);
  ctx.type = contentType;
  ctx.body = body;
}

const callerOf = (ctx: Context, { authenticate }: Edge, op: Operation): Promise<Caller> =>
  authenticate(op, { method: ctx.method, headers: ctx.headers, clientAddress: ctx.ip });

async function isLetIn(ctx: Context, edge: Edge, op: Operation): Promise<boolean> {
  try {
    requirePermission(await callerOf(ctx, edge, op), op);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function admit(ctx: Context, edge: Edge, op: Operation): Promise<Caller> {
  const caller = await callerOf(ctx, edge, op);
  ctx.state.caller = caller;
  const window = edge.requests.count(caller.organizationId);
  ctx.set("RateLimit-Limit", String(window.limit));
  ctx.set("RateLimit-Remaining", String(window.remaining));
  ctx.set("RateLimit-Reset", String(window.resetSeconds));
  if (window.exceeded) {
    throw tooManyRequests(
      window,
      `The organization used up its ${window.limit} requests of this minute; wait ${window.resetSeconds} s.`,
    );
  }
  requirePermission(caller, op);
  return caller;
}

const NO_QUERY = z.strictObject({});

/** An operation without a query takes none: a `project` that it would not heed is refused, not overlooked. */
function readQuery(ctx: Context, op: Operation): unknown {
  if (op.query === undefined && (op.credential === "public" || op.body === "otlp")) return undefined;
  return validateQuery(op.query ?? NO_QUERY, ctx.query);
}

function readHeaders(ctx: Context, headers: Readonly<Record<string, string>>): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers)) {
    const value = ctx.get(header).trim();
    if (value.length > LIMITS.headerCharacters) {
      const message = `Send at most ${LIMITS.headerCharacters} characters.`;
      throw new AppError("invalid_request", `The header ${header} is too long.`, {
        issues: [{ path: header, message }],
      });
    }
    if (value !== "") read[name] = value;
  }
  return read;
}

async function readInput(ctx: Context, op: Operation): Promise<unknown> {
  if (op.body === undefined || op.body === "otlp") return undefined;
  const json = await readJson(ctx.req, LIMITS.jsonBodyBytes);
  return validateBody(op.body, json === undefined ? {} : json);
}

function projectNamed(input: unknown): string | undefined {
  const { project, projectId } = (input ?? {}) as { project?: string; projectId?: string };
  return project ?? projectId;
}

function checkAnswer(op: Operation, answer: unknown): void {
  if (op.answer === "event-stream") return;
  const result = op.answer?.safeParse(answer);
  if (result && !result.success) {
    throw new Error(`the answer of ${op.method} ${op.path} does not fit its own schema: ${result.error.message}`);
  }
}

/** What no route took: a path that exists for other methods, or nothing at all. */
export function answerUnknown(router: Router, path: string, method: string): AppError {
  const allow = [...new Set(router.match(path, method).path.flatMap((layer) => layer.methods))].sort();
  if (allow.length > 0) return new MethodNotAllowed(allow);
  return new AppError("not_found", "There is no such path; `GET /openapi.json` lists those there are.");
}
