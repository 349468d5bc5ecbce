import table from "./requests.json" with { type: "json" };
import type { ErrorCode } from "./core/errors.ts";
import type { Method } from "./core/operation.ts";

/** Facts that a client needs to send a request of an operation: names of members, without the schemas. */
export type RequestShape = {
  method: Method;
  /** Path with `{name}` parameters. */
  path: string;
  /** Names of the query parameters. */
  query?: readonly string[];
  /** Optional request headers: parameter names of the client, mapped to names of headers. */
  headers?: Readonly<Record<string, string>>;
  /** Names of the members of the JSON body; `otlp` for a body with OTLP spans. */
  body?: readonly string[] | "otlp";
  /** Error codes of an `otlp` operation. A client derives the code from the status, because an error in protobuf contains no code. */
  errors?: readonly ErrorCode[];
  /** The operation returns a stream of bytes: server-sent events or a file. */
  streams?: true;
  /** Further statuses whose response is an answer and not an error, such as 503 of the readiness probe. */
  alsoAnswers?: readonly number[];
};

/**
 * Request shapes of the operations, by family and name: `requests.tests.create`. `npm run openapi` generates them from `operations`. A
 * client that imports this table instead of `operations` does not build all zod schemas at its start.
 */
export const requests = table as unknown as Readonly<Record<string, Readonly<Record<string, RequestShape>>>>;
