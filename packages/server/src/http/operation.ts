import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import Router from "@koa/router";
import {
  allOperations,
  type Answer,
  auditOf,
  bodyBytesOf,
  KEY_EXPIRES_IN_HEADER,
  LIMITS,
  mayOmitBody,
  type Operation,
  type Operations,
  ORGANIZATION_HEADER,
} from "@svc/contract";
import type { Context, Middleware } from "koa";
import { z } from "zod";
import type { Caller, Project } from "../access/caller.ts";
import { requirePermission } from "../access/permissions.ts";
import { type ProjectChoice, type ProjectsOfResources, selectProject } from "../access/projects.ts";
import { AppError, MethodNotAllowed } from "../base/errors.ts";
import type { Db } from "../stores/relational.ts";
import { createAllowedMethods } from "./allowed-methods.ts";
import type { Encoded, EncodeError } from "./answer-errors.ts";
import type { AnswerSlots } from "./answer-slots.ts";
import { type Answering, answeringOf, takesTurn } from "./answering.ts";
import { type AccountAudit, type AuditedRequest, auditRequest, type AuditTrail } from "./audited.ts";
import { type Authenticate, ownOrigin } from "./authenticate.ts";
import { type BinaryAnswer, writeBinary } from "./binary-answer.ts";
import { isForm, readForm, readJson } from "./body.ts";
import { JsonAnswer } from "./json-pieces.ts";
import { type SharedRateLimit, tooManyRequests } from "./rate-limit.ts";
import type { RefusedExports } from "./refused-exports.ts";
import { validateBody, validateQuery } from "./validate.ts";

type OutputOf<S> = S extends z.ZodObject ? z.output<S> : undefined;

export type OperationRequest<O extends Operation> = {
  caller: O["credential"] extends "public" ? undefined : Caller;
  project: O["scope"] extends "project" ? Project : undefined;
  params: OutputOf<O["params"]>;
  query: OutputOf<O["query"]>;
  body: OutputOf<O["body"]>;
  headers: O["headers"] extends Record<string, string> ? { [Name in keyof O["headers"]]?: string } : undefined;
  http: Context;
  audit: O["audit"] extends "account" ? AccountAudit : undefined;
  answering: Answering;
  /** Returns whether the credential is still valid. A long-running answer calls `stillAdmitted` to detect a revoked key. */
  stillAdmitted: () => Promise<boolean>;
};

type Handler<O extends Operation> = (request: OperationRequest<O>) => Promise<AnswerOf<O>>;

type AnswerOf<O extends Operation> = O["answer"] extends "event-stream" | "ndjson"
  ? Readable
  : O["answer"] extends "audio" | "parquet"
    ? BinaryAnswer
    : Answer<O> | JsonAnswer;

/** Encodes a route's answers and errors in a format that depends on the request's headers. A route without an encoding writes JSON. */
export type Encoding = (headers: IncomingHttpHeaders) => { answer: (answer: unknown) => Encoded; error: EncodeError };

/** Runs before a request without a credential is read: counts the request, or checks a secret in it. Throws to reject the request. */
type AdmitPublic<O extends Operation> = (request: Pick<OperationRequest<O>, "params" | "http">) => void | Promise<void>;

/** A public operation with a body needs `admit`, which runs before the body is read. */
type RouteOf<O> = O extends Operation
  ? O extends { credential: "public"; body: NonNullable<Operation["body"]> }
    ? { admit: AdmitPublic<O>; handle: Handler<O> }
    : Handler<O> | { handle: Handler<O>; encoding: Encoding }
  : never;

/** The TypeScript compiler reports each operation that has no route. */
export type Routes<Family extends keyof Operations> = {
  [F in Family]: { [Name in keyof Operations[F]]: RouteOf<Operations[F][Name]> };
};

type Edge = {
  db: Db;
  authenticate: Authenticate;
  projectsOf: ProjectsOfResources;
  keyUsed: (keyId: string, address: string) => void;
  requests: SharedRateLimit;
  /** Separate limit of trace ingest; undefined when ingest counts with all other requests. */
  ingest: SharedRateLimit | undefined;
  refusedExports: RefusedExports;
  audit: AuditTrail;
  slots: AnswerSlots;
  /** Only specs set it. */
  checkAnswers: boolean;
};

/**
 * Serves all operations. A path without parameters is found in a map. For all other paths, the router compares one pattern after the other.
 */
export function serveAll(routes: Routes<keyof Operations>, edge: Edge): Middleware {
  const families = routes as Record<string, Record<string, MountedRoute>>;
  const router = new Router();
  const exact = new Map<string, Middleware>();
  for (const { name, operation } of allOperations) {
    const [family, member] = name.split(".") as [string, string];
    const route = families[family]![member]!;
    const answer = answerOperation(edge, name, operation, typeof route === "function" ? { handle: route } : route);
    router.register(operation.path.replaceAll(PARAMETER, ":$1"), [operation.method], answer);
    if (operation.path.search(PARAMETER) === -1) exact.set(`${operation.method} ${operation.path}`, answer);
  }
  const others: Middleware = router.routes() as never;
  return (ctx, next) => (exact.get(`${ctx.method} ${ctx.path}`) ?? others)(ctx, next);
}

const PARAMETER = /\{(\w+)\}/g;

type MountedHandler = (request: never) => Promise<unknown>;
type MountedRoute =
  | MountedHandler
  | { handle: MountedHandler; admit?: (request: never) => void | Promise<void>; encoding?: Encoding };

/**
 * Checks the credential, rate limit, permission, input and project, in this order, before the handler runs. A public
 * operation counts its requests, or checks a secret, before it reads the body. The audit line is written before the
 * handler runs, so that no change happens without a line.
 */
function answerOperation(
  edge: Edge,
  name: string,
  op: Operation,
  route: Exclude<MountedRoute, MountedHandler>,
): Middleware {
  const answer = answerRequest(edge, name, op, route);
  if (auditOf(op) === undefined) return (ctx) => answer(ctx, undefined);
  return async (ctx) => {
    const audited = auditRequest(edge.audit, name, op, ctx);
    try {
      await answer(ctx, audited);
    } catch (error) {
      await audited.failed(error, ctx.state.caller, ctx.params);
      throw error;
    }
  };
}

function answerRequest(
  edge: Edge,
  name: string,
  op: Operation,
  { handle, admit, encoding }: Exclude<MountedRoute, MountedHandler>,
): (ctx: Context, audited: AuditedRequest | undefined) => Promise<void> {
  const waits = takesTurn(name, op);
  const isOfCaller = auditOf(op) !== "account";
  return async (ctx, audited) => {
    ctx.state.operation = name;
    ctx.set("Cache-Control", "no-store");
    if (op.resource && !allowedMethods(ctx.path).includes(op.method)) throw answerUnknown(ctx.path);
    const encode = encoding?.(ctx.headers);
    ctx.state.encodeError = encode?.error;
    const caller = op.credential === "public" ? undefined : await admitCaller(ctx, edge, op);
    const params = op.params && validateQuery(op.params, ctx.params);
    await admit?.({ params, http: ctx } as never);
    const query = readQuery(ctx, op);
    const headers = op.headers && readHeaders(ctx, op.headers);
    const body = await readInput(ctx, op);
    const project =
      op.scope === "project"
        ? await selectProject(edge.db, caller!, choiceOf(edge, op, params, query, body))
        : undefined;
    const stillAdmitted = () => isAdmitted(ctx, edge, op);
    const answering = answeringOf(ctx, edge.slots, caller?.organizationId ?? "");
    if (waits) await answering.takeSlot("list");
    if (isOfCaller) await audited?.begin(caller!, project?.id, { params, query, body });
    const audit = isOfCaller ? undefined : audited?.account;
    const request = { caller, project, params, query, body, headers, http: ctx, audit, answering, stillAdmitted };
    const answer = await handle(request as never);
    await audited?.done(answer);
    if (edge.checkAnswers) checkAnswer(op, answer);
    if (typeof caller?.keyId === "string") edge.keyUsed(caller.keyId, ctx.ip);
    ctx.status = ctx.state.status ?? op.status;
    if (encode) {
      const { contentType, body: encoded } = encode.answer(answer);
      ctx.type = contentType;
      ctx.body = encoded;
    } else if (op.status === 204) ctx.body = null;
    else if (answer instanceof Readable) ctx.body = answer;
    else if (op.answer === "audio" || op.answer === "parquet") await writeBinary(ctx, answer as BinaryAnswer);
    else await answering.write(answer);
  };
}

const callerOf = (ctx: Context, { authenticate }: Edge, op: Operation): Promise<Caller> =>
  authenticate(op, {
    method: ctx.method,
    headers: op.answer === "audio" ? withOrganization(ctx) : ctx.headers,
    query: ctx.querystring,
    clientAddress: ctx.ip,
    origin: ownOrigin(ctx),
  });

/** Adds the organization from the query to the headers, because a media element cannot send headers. */
function withOrganization({ headers, query }: Context): IncomingHttpHeaders {
  const named = query["organizationId"];
  return typeof named === "string" ? { [ORGANIZATION_HEADER.toLowerCase()]: named, ...headers } : headers;
}

async function isAdmitted(ctx: Context, edge: Edge, op: Operation): Promise<boolean> {
  try {
    requirePermission(await callerOf(ctx, edge, op), op);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function admitCaller(ctx: Context, edge: Edge, op: Operation): Promise<Caller> {
  const caller = await callerOf(ctx, edge, op);
  ctx.state.caller = caller;
  if (caller.keyExpiresAt !== null) ctx.set(KEY_EXPIRES_IN_HEADER, String(secondsUntil(caller.keyExpiresAt)));
  const limit = op.body === "otlp" ? (edge.ingest ?? edge.requests) : edge.requests;
  const window = await limit.count(caller.organizationId);
  ctx.set("RateLimit-Limit", String(window.limit));
  ctx.set("RateLimit-Remaining", String(window.remaining));
  ctx.set("RateLimit-Reset", String(window.resetSeconds));
  if (window.exceeded) {
    if (op.body === "otlp") await countRefusedExport(ctx, edge, caller);
    throw tooManyRequests(
      window,
      `The organization has used its ${window.limit} requests for this minute. Wait ${window.resetSeconds} s.`,
    );
  }
  requirePermission(caller, op);
  return caller;
}

const secondsUntil = (time: string): number => Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / 1000));

/** Counts a rejected export of spans for its project. A request that selects no project is not counted. */
async function countRefusedExport(ctx: Context, { db, refusedExports }: Edge, caller: Caller): Promise<void> {
  const named = typeof ctx.query["project"] === "string" ? ctx.query["project"] : undefined;
  const project = await selectProject(db, caller, { named, member: "project" }).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
  if (project) refusedExports(caller, project);
}

const NO_QUERY = z.strictObject({});

/** Reads the query of a request. An operation without query members rejects every member, so that it never silently ignores a `project`. */
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
  const json =
    op.acceptsForm && isForm(ctx.req)
      ? await readForm(ctx.req, bodyBytesOf(op), Object.keys(op.body.shape))
      : await readJson(ctx.req, bodyBytesOf(op), op.roundsNumbers);
  if (json !== undefined) return validateBody(op.body, json);
  if (mayOmitBody(op)) return validateBody(op.body, {});
  throw new AppError("invalid_request", "The body is missing. Send JSON; an object without members is `{}`.", {
    issues: [{ path: "", message: "Required: a JSON object." }],
  });
}

function choiceOf({ projectsOf }: Edge, op: Operation, params: unknown, query: unknown, body: unknown): ProjectChoice {
  const [id] = Object.values((params ?? {}) as Record<string, string>);
  return {
    named: projectNamed(query) ?? projectNamed(body),
    member: op.path.startsWith("/v1/") ? "projectId" : "project",
    holding: op.resource && ((projects) => projectsOf[op.resource!](id!, projects)),
  };
}

function projectNamed(input: unknown): string | undefined {
  const { project, projectId } = (input ?? {}) as { project?: string; projectId?: string };
  return project ?? projectId;
}

function checkAnswer(op: Operation, answer: unknown): void {
  if (typeof op.answer === "string") return;
  const value = answer instanceof JsonAnswer ? JSON.parse(Buffer.concat(answer.pieces).toString()) : answer;
  const result = op.answer?.safeParse(value);
  if (result && !result.success) {
    throw new Error(`the answer of ${op.method} ${op.path} does not match its schema: ${result.error.message}`);
  }
}

const allowedMethods = createAllowedMethods(allOperations);

const NO_SUCH_PATH = "This path does not exist. `GET /openapi.json` lists all paths.";
/** Answer at the root to a request that accepts no HTML. */
const NOT_FOR_PROGRAMS =
  "Open this address in a browser to see the pages. Programs use the paths of the API, which `GET /openapi.json` lists.";

export function answerUnknown(path: string): AppError {
  const allow = allowedMethods(path);
  if (allow.length > 0) return new MethodNotAllowed(allow);
  return new AppError("not_found", path === "/" ? NOT_FOR_PROGRAMS : NO_SUCH_PATH);
}
