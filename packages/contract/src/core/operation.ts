import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/**
 * What a caller must be allowed to do. Viewers hold `read` and `keys`; members also `write` and `ingest`; admins also
 * `manage`, which a project-scoped key never holds.
 */
export type Permission = "read" | "keys" | "write" | "ingest" | "manage";

/** An HTTP method. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may call: `public` needs no credential; `bearer` takes API keys only; `any` takes a key or a session cookie;
 * `session` takes a session cookie only.
 */
export type Credential = "public" | "bearer" | "any" | "session";

/** Whether the operation acts inside one project (which the caller selects), on the organization, or on neither. */
export type Scope = "project" | "organization" | "none";

type ObjectSchema = z.ZodObject;

/** One endpoint: what it takes, what it answers and who may call it. */
export type Operation = {
  method: Method;
  /** Path with `{name}` parameters, relative to the service's address. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  credential: Credential;
  permission?: Permission;
  scope: Scope;
  params?: ObjectSchema;
  query?: ObjectSchema;
  /** Optional request headers, 1 to 200 characters each, by the name under which a client passes them. */
  headers?: Readonly<Record<string, string>>;
  /** A JSON body's schema, or `otlp` for the trace ingest body. */
  body?: ObjectSchema | "otlp";
  status: 200 | 201 | 204;
  /** A JSON answer's schema, or `event-stream` for server-sent events. */
  answer?: z.ZodType | "event-stream";
  /** Other statuses with which the same answer may come, with what they mean. */
  alsoStatus?: Partial<Record<200 | 503, string>>;
  /** Codes besides those that every operation with this credential and input may answer. */
  errors?: readonly ErrorCode[];
};

/** Declares an endpoint. Route, validation, SDK method, CLI types and the OpenAPI entry all derive from this value. */
export const operation = <const T extends Operation>(spec: T): T => spec;

/** Every code that an operation may answer, derived from what it declares. */
export function errorCodesOf(op: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(["internal_error", "unavailable"]);
  if (op.query || op.body || op.params || op.credential !== "public") codes.add("invalid_request");
  if (op.body)
    for (const code of ["unprocessable", "payload_too_large", "unsupported_media_type"] as const) codes.add(code);
  if (op.credential !== "public")
    for (const code of ["not_authenticated", "not_permitted", "too_many_requests"] as const) codes.add(code);
  if (op.params || op.scope === "project") codes.add("not_found");
  if (op.query && isPaged(op.query)) codes.add("unprocessable");
  for (const code of op.errors ?? []) codes.add(code);
  return [...codes].sort();
}

/** A list is gone through by a cursor, and one that the service did not mint is refused. */
const isPaged = ({ shape }: ObjectSchema) => "cursor" in shape || "pageToken" in shape;

type HeadersOf<H> = H extends Record<string, string> ? { [Name in keyof H]?: string | undefined } : unknown;

/** An object without members restricts nothing of the flat input. */
type InputOf<S> = S extends ObjectSchema ? (keyof S["shape"] extends never ? unknown : z.input<S>) : unknown;

/** What a client passes: path parameters, query and JSON body as one flat object. */
export type Input<T extends Operation> = InputOf<T["params"]> &
  InputOf<T["query"]> &
  InputOf<T["body"]> &
  HeadersOf<T["headers"]>;

/** What a client receives. */
export type Answer<T extends Operation> = T["answer"] extends z.ZodType
  ? z.output<T["answer"]>
  : T["answer"] extends "event-stream"
    ? ReadableStream<Uint8Array>
    : void;
