import type { Evidence } from "../evidence.ts";
import { findJoined, wordsOf } from "../words.ts";
import { quotable } from "./transcript.ts";

/** `foundIn`: the turn in which it stands; null when it stands in none near the named one. */
export type CheckedQuote = { turn: number; quote: string; foundIn: number | null };

/** A quote of fewer characters stands in almost any turn. */
const CHARACTERS_MIN = 3;

/** Judges miscount by one. */
const NEARBY = [0, -1, 1];

/** However it is written, each part between ellipses must stand in one turn, in their order. */
export function checkQuote({ turn, quote }: { turn: number; quote: string }, evidence: Evidence): CheckedQuote {
  const near = NEARBY.map((by) => turn + by).filter((place) => place >= 0 && place < evidence.turns.length);
  const foundIn = near.find((place) => quotable(evidence, place).some((text) => holds(text, quote))) ?? null;
  return { turn, quote, foundIn };
}

function holds(text: string, quote: string): boolean {
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
    const place = findJoined(part, said.slice(from));
    if (place === undefined) return false;
    from = said.findIndex(({ end }) => end >= place.end) + 1;
    return true;
  });
}

const joined = (text: string) =>
  wordsOf(text)
    .map((word) => word.text)
    .join("");
