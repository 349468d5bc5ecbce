import { Readable } from "node:stream";
import { type Identity, LIMITS, operations } from "@svc/contract";
import type { Context, Middleware } from "koa";
import { AppError, MethodNotAllowed } from "../base/errors.ts";
import { readJson } from "./body.ts";
import { goneSignal } from "./gone.ts";
import type { InnerFetch } from "./inner-fetch.ts";

export type McpCaller = {
  url: string;
  apiKey: string;
  identity: Identity;
  /** Id or exact name of the project in the URL; undefined when the URL names none. */
  projectId: string | undefined;
  send: InnerFetch;
  stopping: AbortSignal;
  report: (error: unknown) => void;
};

/** The command line defines the tools, and passes this function when it starts the service. */
export type AnswerMcp = (request: Request, body: unknown, caller: McpCaller) => Promise<Response>;

type McpOptions = Pick<McpCaller, "url" | "stopping" | "report"> & {
  answer: AnswerMcp;
  sendFrom: (clientAddress: string) => InnerFetch;
  /** Origins of pages that may send requests, besides those of this machine. */
  origins: ReadonlySet<string>;
};

const PATH = "/mcp";
/** With `no-transform`, proxies forward each part of a stream without delay. */
const CACHE = "no-store, no-transform";
const PROJECT_CHARACTERS = 200;
const IDENTITY = operations.identity.get.path;
/** Headers of an answer with status 401 or 429 that the client of `/mcp` also receives. */
const OF_REFUSAL = /^(content-type|www-authenticate|retry-after|ratelimit-\w+)$/;

/**
 * Serves the Model Context Protocol without sessions. It checks the origin first. It then checks the API key with an `identity` request,
 * which counts as a request of the caller. It reads the body last.
 */
export function serveMcp({ answer, sendFrom, origins, url, stopping, report }: McpOptions): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PATH) return next();
    ctx.state.operation = "mcp";
    ctx.set("Cache-Control", CACHE);
    requireKnownOrigin(ctx.get("origin"), origins);
    const authorization = ctx.get("authorization");
    const send = sendFrom(ctx.ip);
    const identified = await send(url + IDENTITY, { headers: authorization === "" ? {} : { authorization } });
    if (!identified.ok) return write(ctx, identified, (name) => OF_REFUSAL.test(name));
    if (ctx.method !== "POST") throw new MethodNotAllowed(["POST"]);
    const projectId = projectNamed(ctx);
    const body = await readJson(ctx.req, LIMITS.jsonBodyBytes, true);
    if (body === undefined)
      throw new AppError("invalid_request", "Send a message of the Model Context Protocol as JSON.");
    const { identity } = (await identified.json()) as { identity: Identity };
    const apiKey = authorization.replace(/^Bearer +/i, "").trim();
    const asked = await answer(requestOf(ctx, url), body, {
      url,
      apiKey,
      identity,
      projectId,
      send,
      stopping,
      report,
    });
    write(ctx, asked, (name) => name !== "cache-control");
  };
}

/**
 * Throws for a page whose origin is not allowed, as the protocol requires. An attacker's host name could point at this machine (DNS
 * rebinding), so the host of the request proves nothing. Programs send no origin.
 */
function requireKnownOrigin(origin: string, origins: ReadonlySet<string>): void {
  if (origin === "" || origins.has(origin) || isOfThisMachine(origin)) return;
  throw new AppError(
    "not_permitted",
    "A page of another origin may not use this address. The service allows origins with SVC_CORS_ORIGINS.",
  );
}

const isOfThisMachine = (origin: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(URL.parse(origin)?.hostname ?? "");

function projectNamed({ query }: Context): string | undefined {
  const { project, ...others } = query;
  const isFine = project === undefined || (typeof project === "string" && project.length <= PROJECT_CHARACTERS);
  if (isFine && Object.keys(others).length === 0) return project;
  throw new AppError("invalid_request", "The address takes only `?project=`, once, with an id or exact name.");
}

function requestOf({ headers, res, path }: Context, url: string): Request {
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const kept = named.filter(([name]) => !["authorization", "cookie", "content-length"].includes(name));
  return new Request(url + path, { method: "POST", headers: kept, signal: goneSignal(res) });
}

function write(ctx: Context, { status, headers, body }: Response, isKept: (name: string) => boolean): void {
  for (const [name, value] of headers) if (isKept(name)) ctx.set(name, value);
  ctx.body = body === null ? null : Readable.fromWeb(body as never);
  ctx.status = status;
  const type = headers.get("content-type");
  if (body !== null && type !== null) ctx.set("Content-Type", type);
}
