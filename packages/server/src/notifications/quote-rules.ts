import { cutText, oneLine } from "@svc/contract";

/** Words of a conversation. `quote` is the part of the words that a decision cites; null when it cites all of them. */
export type Words = { words: string; quote: string | null };

const QUOTE_CHARACTERS = 300;
/** How much of the words before the cited part is shown when the words are too long. */
const BEFORE_CHARACTERS = 100;

const tidy = (text: string) => oneLine(text).replaceAll(/\s+/g, " ").trim().toWellFormed();

/** Returns what a message quotes of the words: one line of at most 300 characters, with the cited part; null when no words are left. */
export function quotedPart({ words, quote }: Words): string | null {
  const line = tidy(words);
  if (line === "") return null;
  const cited = quote === null ? "" : tidy(quote);
  const at = line.indexOf(cited);
  const from = at + cited.length < QUOTE_CHARACTERS ? 0 : Math.max(0, at - BEFORE_CHARACTERS);
  const shown = from === 0 ? line : `…${line.slice(from).toWellFormed()}`;
  return cutText(shown, QUOTE_CHARACTERS);
}
