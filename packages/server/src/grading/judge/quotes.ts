import type { Evidence } from "../evidence.ts";
import { findJoined, wordsOf } from "../words.ts";
import { quotable } from "./transcript.ts";

/** A quote of the judge; `foundIn` is the turn that contains it, or null when no turn near the named one does. */
export type CheckedQuote = { turn: number; quote: string; foundIn: number | null };

/** Almost any turn contains a shorter quote. */
const CHARACTERS_MIN = 3;

/** Judges often miscount turns by one. */
const NEARBY = [0, -1, 1];

/** Looks a quote up by its words; one turn must contain its parts between ellipses, in order. */
export function checkQuote({ turn, quote }: { turn: number; quote: string }, evidence: Evidence): CheckedQuote {
  const near = NEARBY.map((by) => turn + by).filter((index) => index >= 0 && index < evidence.turns.length);
  const foundIn = near.find((index) => quotable(evidence, index).some((text) => containsQuote(text, quote))) ?? null;
  return { turn, quote, foundIn };
}

function containsQuote(text: string, quote: string): boolean {
  const parts = quote
    .split(/…|\.{3,}|\[\.\.\.\]/)
    .map(joined)
    .filter((part) => part !== "");
  const said = wordsOf(text);
  const whole = said.map((word) => word.text).join("");
  const characters = parts.join("").length;
  if (characters === 0 || (characters < CHARACTERS_MIN && parts.join("") !== whole)) return false;
  let from = 0;
  return parts.every((part) => {
    const range = findJoined(part, said.slice(from));
    if (range === undefined) return false;
    from = said.findIndex(({ end }) => end >= range.end) + 1;
    return true;
  });
}

const joined = (text: string) =>
  wordsOf(text)
    .map((word) => word.text)
    .join("");
