import table from "./requests.json" with { type: "json" };
import type { ErrorCode } from "./core/errors.ts";
import type { Method } from "./core/operation.ts";

/** What a client has to know of an operation to ask for it: its schemas' members by name, without the schemas. */
export type RequestShape = {
  method: Method;
  /** Path with `{name}` parameters. */
  path: string;
  /** Members of the query. */
  query?: readonly string[];
  /** Optional request headers, by the name under which a client passes them. */
  headers?: Readonly<Record<string, string>>;
  /** Members of the JSON body, or `otlp`. */
  body?: readonly string[] | "otlp";
  /** With `otlp`, what it may be refused with: a refusal in protobuf holds words and a status, and no code. */
  errors?: readonly ErrorCode[];
  /** Answers server-sent events. */
  streams?: true;
  /** Statuses besides the 2xx that hold an answer and no refusal. */
  alsoAnswers?: readonly number[];
};

/**
 * `requests.tests.create`: how each operation of `operations` is asked for. Generated from them (`npm run openapi`), so
 * that a client starts without building the schemas of the whole interface.
 */
export const requests = table as unknown as Readonly<Record<string, Readonly<Record<string, RequestShape>>>>;
