import type { StoredSpan } from "../stored-span.ts";
import { textOf } from "./attribute-values.ts";
import type { CallError, SpanQuality } from "./vocabulary.ts";

export function hasFailed({ status, endNs, attributes }: StoredSpan): boolean | null {
  if (status === "error" || typeof attributes["error.type"] === "string") return true;
  return endNs === null ? null : false;
}

export function errorOf(span: StoredSpan): CallError | null {
  if (hasFailed(span) !== true) return null;
  const { attributes, events, statusMessage } = span;
  const exception = events.findLast(({ name }) => name === "exception")?.attributes ?? {};
  const named = (key: string) => textOf(attributes[key]) ?? textOf(exception[key]);
  const type = named("exception.type") ?? named("error.type");
  const message = named("exception.message") ?? textOf(statusMessage);
  return type === null && message === null ? null : { type, message };
}

const FIRST_TOKEN_EVENTS = new Set([
  "First Token Stream Event",
  "llm.content.completion.chunk",
  "gen_ai.content.completion.chunk",
]);

export function firstTokenEventMs({ startNs, events }: StoredSpan): number | null {
  const times = events.flatMap(({ name, timeNs }) => (FIRST_TOKEN_EVENTS.has(name) && timeNs > startNs ? timeNs : []));
  if (times.length === 0) return null;
  return Number(times.reduce((a, b) => (b < a ? b : a)) - startNs) / 1e6;
}

export function languageOf(spans: readonly StoredSpan[]): SpanQuality["language"] {
  for (const { resource } of spans) {
    const declared = resource["telemetry.sdk.language"];
    if (declared === "python") return "python";
    if (declared === "nodejs" || declared === "webjs") return "javascript";
  }
  return null;
}
