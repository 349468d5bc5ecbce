import { errorCodesOf, type Operation } from "./core/operation.ts";
import { operations } from "./operations.ts";
import type { RequestShape } from "./requests.ts";

/** Derives the content of `requests.json` from the operations. */
export const requestShapes = (): Record<string, Record<string, RequestShape>> =>
  mapped(operations, (family) => {
    const offered = Object.entries(family as Record<string, Operation>).filter(
      ([, { twinOf }]) => twinOf === undefined,
    );
    return mapped(Object.fromEntries(offered), shapeOf);
  });

function shapeOf(operation: Operation): RequestShape {
  const { method, path, query, headers, body, answer, alsoStatus } = operation;
  const alsoAnswers = Object.keys(alsoStatus ?? {}).map(Number);
  return {
    method,
    path,
    ...(query && { query: Object.keys(query.shape) }),
    ...(headers && { headers }),
    ...(body && { body: body === "otlp" ? body : Object.keys(body.shape) }),
    ...(body === "otlp" && { errors: errorCodesOf(operation) }),
    ...(typeof answer === "string" && { streams: true }),
    ...(alsoAnswers.length > 0 && { alsoAnswers }),
  };
}

const mapped = <T extends object, U>(record: T, change: (value: T[keyof T]) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value as T[keyof T])]));
