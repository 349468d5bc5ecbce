import type { Conversation, Turn } from "./conversation.ts";

/** The beginning of what one party says in a conversation. */
export type Preview = { text: string; role: Turn["role"] };

const PREVIEW_CHARACTERS = 200;

/**
 * Returns the beginning of the caller's first turn with text. If the caller has no text, returns the beginning of the first turn
 * with text; null if no turn has text.
 */
export function previewOf({ turns }: Pick<Conversation, "turns">): Preview | null {
  const spoken = turns.filter(({ text }) => text !== null && text.trim() !== "");
  const first = spoken.find(({ role }) => role === "user") ?? spoken[0];
  return first === undefined
    ? null
    : { text: first.text!.slice(0, PREVIEW_CHARACTERS).toWellFormed(), role: first.role };
}
