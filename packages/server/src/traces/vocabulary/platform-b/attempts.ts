import type { SpanNode } from "../../conversation/span-tree.ts";
import { numberOf } from "../attribute-values.ts";
import { errorOf } from "../span-facts.ts";
import type { CallError } from "../vocabulary.ts";

type Attempts = { isError: boolean | null; error: CallError | null; retries: number | null };

const MOST_RETRIES = 1000;

/**
 * Returns the outcome of a request and its number of retries. Up to version 1.7 of LiveKit Agents, only the spans of the attempts show a
 * failure. Without spans of attempts, the number of retries is null, and `isError` is null unless the request's span failed.
 */
export function attemptsOf(request: SpanNode): Attempts {
  const { span } = request;
  const attempts = attemptNodes(request);
  const last = attempts.at(-1)?.span;
  if (last === undefined)
    return { isError: span.status === "error" ? true : null, error: errorOf(span), retries: null };
  return { isError: last.status === "error", error: errorOf(last) ?? errorOf(span), retries: retriesOf(request) };
}

/**
 * Returns the number of retries of a request or a fallback adapter. Up to version 1.7 of LiveKit Agents, an adapter has a span for each
 * attempt.
 */
export function retriesOf(request: SpanNode): number {
  const attempts = attemptNodes(request);
  const counts = [request, ...attempts.slice(-100)].map(({ span }) => numberOf(span.attributes["lk.retry_count"]) ?? 0);
  return Math.max(
    0,
    attempts.length - 1,
    ...counts.filter((count) => Number.isInteger(count) && count <= MOST_RETRIES),
  );
}

const ATTEMPTS: Record<string, string> = {
  llm_fallback_adapter: "llm_request_run",
  tts_fallback_adapter: "tts_request_run",
};

const attemptNodes = ({ span, children }: SpanNode): SpanNode[] => {
  const name = Object.hasOwn(ATTEMPTS, span.name) ? ATTEMPTS[span.name] : `${span.name}_run`;
  return children.filter((child) => child.span.name === name);
};
