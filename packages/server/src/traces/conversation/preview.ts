import type { Conversation, Turn } from "./conversation.ts";

export type Preview = { text: string; role: Turn["role"] };

const PREVIEW_CHARACTERS = 200;

export function previewOf({ turns }: Pick<Conversation, "turns">): Preview | null {
  const spoken = turns.filter(({ text }) => text !== null && text.trim() !== "");
  const first = spoken.find(({ role }) => role === "user") ?? spoken[0];
  return first === undefined
    ? null
    : { text: first.text!.slice(0, PREVIEW_CHARACTERS).toWellFormed(), role: first.role };
}
