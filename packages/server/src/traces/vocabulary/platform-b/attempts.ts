import type { SpanNode } from "../../span-tree.ts";
import { numberOf } from "../attribute-values.ts";

/**
 * Returns whether the request failed and how often it was retried. Only the spans of its attempts show a failure: the
 * span of the request itself has no error status. Without attempts, both are null.
 */
export function attemptsOf({ span, children }: SpanNode): { isError: boolean | null; retries: number | null } {
  const attempts = children.filter((child) => child.span.name === `${span.name}_run`);
  const last = attempts.at(-1)?.span;
  if (last === undefined) return { isError: span.status === "error" ? true : null, retries: null };
  const retryCount = Math.max(
    ...attempts.slice(-100).map((attempt) => numberOf(attempt.span.attributes["lk.retry_count"]) ?? 0),
  );
  return { isError: last.status === "error", retries: Math.max(attempts.length - 1, wholeUpTo(retryCount, 1000)) };
}

const wholeUpTo = (count: number, most: number) => (Number.isInteger(count) && count <= most ? Math.max(0, count) : 0);
