import type { SpanNode } from "../../span-tree.ts";
import { numberOf } from "../attribute-values.ts";

/**
 * How a request fared. Only the span of an attempt says that it failed: the request's own says that all is well. Null
 * where no attempt is there.
 */
export function attemptsOf({ span, children }: SpanNode): { isError: boolean | null; retries: number | null } {
  const attempts = children.filter((child) => child.span.name === `${span.name}_run`);
  const last = attempts.at(-1)?.span;
  if (last === undefined) return { isError: span.status === "error" ? true : null, retries: null };
  const counted = Math.max(
    ...attempts.slice(-100).map((attempt) => numberOf(attempt.span.attributes["lk.retry_count"]) ?? 0),
  );
  return { isError: last.status === "error", retries: Math.max(attempts.length - 1, wholeUpTo(counted, 1000)) };
}

const wholeUpTo = (count: number, most: number) => (Number.isInteger(count) && count <= most ? Math.max(0, count) : 0);
