import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Permission } from "./permissions.ts";
import type { Resource } from "./resources.ts";
import type { Tag } from "./tags.ts";

/** An HTTP method. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The credential that an operation accepts: `public` needs none, `bearer` accepts only API keys, `any` accepts an API key or
 * a session cookie, `session` accepts only a session cookie.
 */
export type Credential = "public" | "bearer" | "any" | "session";

/** Whether the operation acts in one project (which the caller selects), on the organization, or on neither. */
export type Scope = "project" | "organization" | "none";

type ObjectSchema = z.ZodObject;

/** The credential of an operation. Each one that is not public names what its callers need; `PERMISSIONS` says what that takes. */
type Access =
  | { credential: "public"; permission?: undefined }
  | { credential: Exclude<Credential, "public">; permission: Permission };

/**
 * The line that the audit of an organization has of each use of an operation. `change` and `read` leave one in the caller's
 * organization; a `read` is of recordings, exports or keys. `account` changes a person's account or membership, and its handler names
 * the person and the organizations. `leftOut` says why there is no line.
 */
export type Audit = "change" | "read" | "account" | { leftOut: string };

/**
 * Where the method and the permission decide, `audit` is only for exceptions: who may change something with a method that changes
 * leaves a `change`, and a read of what everybody may read leaves nothing. Every other operation says it itself.
 */
type Audited =
  | { method: Exclude<Method, "GET">; permission: "test" | "write" | "keys" | "manage"; audit?: Audit }
  | { method: "GET"; permission?: "read" | undefined; answer?: z.ZodType | "event-stream"; audit?: Audit }
  | { audit: Audit };

/** One endpoint: its method and path, its input and answer, who may call it, and what the audit says about it. */
export type Operation = Access & Audited & Endpoint;

type Endpoint = {
  method: Method;
  /** Path with `{name}` parameters, relative to the service's address. */
  path: string;
  /**
   * The operation of the other family of paths that does the same. Typed clients and the command line offer only that one, with the
   * names of its family.
   */
  twinOf?: string;
  /** Imperative title of a few words, without a period. */
  summary: string;
  description?: string;
  tag: Tag;
  scope: Scope;
  audit?: Audit;
  /**
   * Kind of the resource that the first path parameter names. An operation with a resource acts in the resource's project, so
   * that an organization-wide credential need not name the project.
   */
  resource?: Resource;
  params?: ObjectSchema;
  query?: ObjectSchema;
  /** Optional request headers, 1 to 200 characters each: the client's parameter name, then the header's name. */
  headers?: Readonly<Record<string, string>>;
  /** Schema of the JSON body, or `otlp` for the body of trace ingest. */
  body?: ObjectSchema | "otlp";
  /**
   * Largest body in bytes, for a public operation that checks a secret before it reads the body. Others read
   * `LIMITS.publicBodyBytes` without a credential, and `LIMITS.jsonBodyBytes` with one.
   */
  bodyBytes?: number;
  /** The body may also be a form, as OAuth clients send it; a member of a form that the schema does not have is ignored. */
  acceptsForm?: true;
  /**
   * The body carries values that an agent under test wrote. A number with more digits than a double holds is rounded in it, so
   * that the conversation goes on; other operations refuse such a number.
   */
  roundsNumbers?: true;
  status: 200 | 201 | 204;
  /**
   * Schema of the JSON answer, `event-stream` for server-sent events, or the kind of a file: `audio` is WAV, `parquet` Parquet, and
   * `ndjson` one JSON object a line.
   */
  answer?: z.ZodType | "event-stream" | "audio" | "parquet" | "ndjson";
  /** Headers of the answer that are numbers, and the meaning of each. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** Further statuses with an answer of the same schema, and the meaning of each. */
  alsoStatus?: Partial<Record<200 | 206 | 503, string>>;
  /** Error codes beyond those that follow from the credential and the input; see `errorCodesOf`. */
  errors?: readonly ErrorCode[];
};

/** Declares an endpoint. The route, validation, SDK method, CLI types and OpenAPI entry all derive from this value. */
export const operation = <const T extends Operation>(spec: T): T => spec;

/** Returns which line the audit has of each use of the operation; undefined for none. */
export function auditOf({ audit, method }: Operation): Exclude<Audit, object> | undefined {
  if (audit === undefined) return method === "GET" ? undefined : "change";
  return typeof audit === "string" ? audit : undefined;
}

/** Returns how many bytes the service reads of an operation's body. */
export function bodyBytesOf({ body, bodyBytes, credential }: Operation): number {
  if (body === "otlp") return LIMITS.traceBodyBytes;
  return bodyBytes ?? (credential === "public" ? LIMITS.publicBodyBytes : LIMITS.jsonBodyBytes);
}

/** Returns whether a request may leave out the operation's body, because an object without members satisfies its schema. */
export const mayOmitBody = ({ body }: Operation): boolean =>
  body === undefined || (body !== "otlp" && body.safeParse({}).success);

/**
 * Returns every error code with which an operation can answer, sorted: the codes that follow from its credential and
 * input, and its `errors`.
 */
export function errorCodesOf(op: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(["internal_error", "unavailable"]);
  if (op.query || op.body || op.params || op.credential !== "public") codes.add("invalid_request");
  if (op.body) for (const code of ["payload_too_large", "unsupported_media_type"] as const) codes.add(code);
  if (op.body && op.body !== "otlp") codes.add("unprocessable");
  if (op.credential !== "public")
    for (const code of ["not_authenticated", "not_permitted", "too_many_requests"] as const) codes.add(code);
  if (op.params || (op.scope === "project" && op.body !== "otlp")) codes.add("not_found");
  if (op.query && isPaged(op.query)) codes.add("unprocessable");
  for (const code of op.errors ?? []) codes.add(code);
  return [...codes].sort();
}

/** A list refuses a cursor that the service did not create. */
const isPaged = ({ shape }: ObjectSchema) => "cursor" in shape || "pageToken" in shape;

type HeadersOf<H> = H extends Record<string, string> ? { [Name in keyof H]?: string | undefined } : unknown;

/** The input members of one schema. A schema without members gives `unknown`, which does not change an intersection. */
type InputOf<S> = S extends ObjectSchema ? (keyof S["shape"] extends never ? unknown : z.input<S>) : unknown;

/** The input of an operation in a client: path parameters, query, JSON body and headers in one flat object. */
export type Input<T extends Operation> = InputOf<T["params"]> &
  InputOf<T["query"]> &
  InputOf<T["body"]> &
  HeadersOf<T["headers"]>;

/** The answer of an operation in a client: the parsed JSON, a byte stream for events and files, or nothing for 204. */
export type Answer<T extends Operation> = T["answer"] extends z.ZodType
  ? z.output<T["answer"]>
  : T["answer"] extends "event-stream" | "audio" | "parquet" | "ndjson"
    ? ReadableStream<Uint8Array>
    : void;
