import type { Conversation } from "./conversation.ts";

const PREVIEW_CHARACTERS = 200;

/** Returns the beginning of the first text that someone says in a conversation, or null without a text. */
export function previewOf({ turns }: Conversation): string | null {
  const first = turns.find(({ text }) => text !== null)?.text ?? null;
  return first === null ? null : first.slice(0, PREVIEW_CHARACTERS).toWellFormed();
}
