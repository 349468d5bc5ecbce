import { searchText } from "../../stores/search-text.ts";
import { CONVERSATION_KEYS, ROOM_KEYS } from "./identity-keys.ts";
import type { StoredSpan } from "../stored-span.ts";
import { textOf } from "../vocabulary/attribute-values.ts";
import { errorOf } from "../vocabulary/span-facts.ts";

const NAME_KEYS = [...CONVERSATION_KEYS, ...ROOM_KEYS];

/**
 * Returns the texts, other than the turns, by which a search finds a conversation: every name of the conversation and of its room in the
 * attributes of its spans, and the errors of the spans. Normalizes the texts with `searchText`.
 */
export function namesIn(spans: readonly StoredSpan[]): string {
  const values = new Set<unknown>(); // most spans repeat the same few names
  const add = (value: unknown) => {
    if (value !== undefined) values.add(value);
  };
  const resources = new Set<Record<string, unknown>>();
  for (const span of spans) {
    for (const key of NAME_KEYS) add(span.attributes[key]);
    if (!resources.has(span.resource)) {
      for (const key of NAME_KEYS) add(span.resource[key]);
      resources.add(span.resource);
    }
    const error = errorOf(span);
    add(error?.type);
    add(error?.message);
  }
  const texts = [...values].map((value) => textOf(typeof value === "number" ? String(value) : value));
  return searchText(...new Set(texts));
}
