import table from "./requests.json" with { type: "json" };
import type { ErrorCode } from "./core/errors.ts";
import type { Method } from "./core/operation.ts";

/** Everything that a client needs to send a request of an operation: the names of its members, without the schemas. */
export type RequestShape = {
  method: Method;
  /** Path with `{name}` parameters. */
  path: string;
  /** Members of the query. */
  query?: readonly string[];
  /** Optional request headers: the client's parameter name, then the header's name. */
  headers?: Readonly<Record<string, string>>;
  /** Members of the JSON body, or `otlp`. */
  body?: readonly string[] | "otlp";
  /** Possible error codes of an `otlp` operation, because an error in protobuf has a message and a status but no code. */
  errors?: readonly ErrorCode[];
  /** The operation answers with a stream of bytes: server-sent events or audio. */
  streams?: true;
  /** Statuses besides 2xx with an answer instead of an error. */
  alsoAnswers?: readonly number[];
};

/**
 * The request shape of each operation, by family and name: `requests.tests.create`. `npm run openapi` generates it from
 * `operations`, so that a client starts without building the schemas of the whole interface.
 */
export const requests = table as unknown as Readonly<Record<string, Readonly<Record<string, RequestShape>>>>;
