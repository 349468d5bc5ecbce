import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Permission } from "./permissions.ts";
import type { Resource } from "./resources.ts";
import type { Tag } from "./tags.ts";

/** HTTP method of an operation. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Credential that an operation accepts: `public` requires none, `bearer` accepts only API keys, `any` accepts an API key or a
 * session cookie, `session` accepts only a session cookie.
 */
export type Credential = "public" | "bearer" | "any" | "session";

/** Scope of an operation: one project, which the caller selects; the organization; or neither. */
export type Scope = "project" | "organization" | "none";

type ObjectSchema = z.ZodObject;

/** Credential and permission of an operation. `PERMISSIONS` has the role and the key permission that each permission requires. */
type Access =
  | { credential: "public"; permission?: undefined }
  | { credential: Exclude<Credential, "public">; permission: Permission };

/**
 * Entry in an organization's audit log for each use of an operation.
 *
 * `change` and `read` write an entry in the audit log of the caller's organization. `read` is for sensitive reads, such as recordings,
 * exports and keys. `account` is for changes of a person's account or membership; the operation's handler names the person and the
 * organizations. `leftOut` gives the reason why the operation writes no entry.
 */
export type Audit = "change" | "read" | "account" | { leftOut: string };

/**
 * Rule for `audit`. An operation that is not GET and needs a permission to change something defaults to `change`. A GET with the
 * permission `read`, whose answer is JSON or events, defaults to no entry. Every other operation must declare `audit`.
 */
type Audited =
  | { method: Exclude<Method, "GET">; permission: "test" | "write" | "keys" | "manage"; audit?: Audit }
  | { method: "GET"; permission?: "read" | undefined; answer?: z.ZodType | "event-stream"; audit?: Audit }
  | { audit: Audit };

/** Endpoint of the service: method and path, input and answer, required credential, and entry in the audit log. */
export type Operation = Access & Audited & Endpoint;

type Endpoint = {
  method: Method;
  /** Path with `{name}` parameters, relative to the service's address. */
  path: string;
  /**
   * Full name of the equivalent operation in the other family of paths (`/api` or `/v1`). Typed clients and the command line offer
   * only the equivalent operation.
   */
  twinOf?: string;
  /** Imperative title of a few words, without a period. */
  summary: string;
  description?: string;
  tag: Tag;
  scope: Scope;
  audit?: Audit;
  /**
   * Kind of the resource that the first path parameter identifies. The operation acts in the project of this resource, so an
   * organization-wide credential need not name a project.
   */
  resource?: Resource;
  params?: ObjectSchema;
  query?: ObjectSchema;
  /** Optional request headers of 1 to 200 characters: parameter names of the clients, mapped to names of headers. */
  headers?: Readonly<Record<string, string>>;
  /** Schema of the JSON body, or `otlp` for the body of trace ingest. */
  body?: ObjectSchema | "otlp";
  /**
   * Members of the body whose values the entry in the audit log shows, when a request sends them. Only for members with few values, never
   * for text of a person.
   */
  auditedMembers?: readonly string[];
  /**
   * Maximum size of the body in bytes, for a public operation that checks a secret before it reads the body. Default:
   * `LIMITS.publicBodyBytes` for a public operation, `LIMITS.jsonBodyBytes` for any other, `LIMITS.traceBodyBytes` for `otlp`.
   */
  bodyBytes?: number;
  /** The body may also be a form, because OAuth clients send forms. Members of the form that the schema lacks are ignored. */
  acceptsForm?: true;
  /**
   * The body contains values from an agent under test. The service rounds numbers that a double cannot represent, so that the
   * conversation continues. Without this member, the service rejects a body with such a number.
   */
  roundsNumbers?: true;
  status: 200 | 201 | 204;
  /**
   * Schema of the JSON answer, `event-stream` for server-sent events, or the format of a file: `audio` for WAV, `parquet` for
   * Parquet, `ndjson` for one JSON object per line.
   */
  answer?: z.ZodType | "event-stream" | "audio" | "parquet" | "ndjson";
  /** Numeric headers of the answer, with their meanings. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** Further statuses whose answer has the same schema, with their meanings. */
  alsoStatus?: Partial<Record<200 | 206 | 503, string>>;
  /** Error codes that do not follow from the credential or the input; see `errorCodesOf`. */
  errors?: readonly ErrorCode[];
};

/** Declares an endpoint. The route, the validation, the SDK method and the OpenAPI entry derive from this value. */
export const operation = <const T extends Operation>(spec: T): T => spec;

/** Returns the kind of entry that each use of the operation writes to the audit log; undefined when it writes no entry. */
export function auditOf({ audit, method }: Operation): Exclude<Audit, object> | undefined {
  if (audit === undefined) return method === "GET" ? undefined : "change";
  return typeof audit === "string" ? audit : undefined;
}

/** Returns the maximum size of an operation's body in bytes. */
export function bodyBytesOf({ body, bodyBytes, credential }: Operation): number {
  if (body === "otlp") return LIMITS.traceBodyBytes;
  return bodyBytes ?? (credential === "public" ? LIMITS.publicBodyBytes : LIMITS.jsonBodyBytes);
}

/**
 * Returns whether a request may omit the body. True when the operation has no body, or when an empty object satisfies the body's
 * schema.
 */
export const mayOmitBody = ({ body }: Operation): boolean =>
  body === undefined || (body !== "otlp" && body.safeParse({}).success);

/** Returns all error codes of an operation, sorted: the codes that follow from its credential and its input, and its `errors`. */
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

/** Returns whether an operation returns a page of a list. Such an operation rejects a cursor that the service did not create. */
const isPaged = ({ shape }: ObjectSchema) => "cursor" in shape || "pageToken" in shape;

type HeadersOf<H> = H extends Record<string, string> ? { [Name in keyof H]?: string | undefined } : unknown;

/** Input members of a schema. A schema without members is `unknown`, because `unknown` does not change an intersection. */
type InputOf<S> = S extends ObjectSchema ? (keyof S["shape"] extends never ? unknown : z.input<S>) : unknown;

/** Input of an operation in a client: path parameters, query, JSON body and headers in one flat object. */
export type Input<T extends Operation> = InputOf<T["params"]> &
  InputOf<T["query"]> &
  InputOf<T["body"]> &
  HeadersOf<T["headers"]>;

/** Answer of an operation in a client: the parsed JSON, a byte stream for events and files, or nothing for 204. */
export type Answer<T extends Operation> = T["answer"] extends z.ZodType
  ? z.output<T["answer"]>
  : T["answer"] extends "event-stream" | "audio" | "parquet" | "ndjson"
    ? ReadableStream<Uint8Array>
    : void;
