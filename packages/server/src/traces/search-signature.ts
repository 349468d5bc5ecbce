import { searchText } from "../stores/search-text.ts";

/** The number of 64-bit words of a signature. */
export const SIGNATURE_WORDS = 64;
/** A search reads at most this many words of each signature. */
const MASKED_WORDS = 10;
/** The only letter that JavaScript and DuckDB change to different ASCII letters in lower case. */
const DOTTED_I = "\u{130}";

/** The texts of a conversation that a search finds: the first two in the form of `searchText`, the others as sent. */
type SearchedTexts = {
  transcript: string | null;
  names: string | null;
  sent: readonly (string | null)[];
};

/**
 * Returns a bit for each trigram of the texts, by its hash: three printable ASCII characters that follow each other. A text that
 * contains another one has all its bits.
 */
export function signatureOf({ transcript, names, sent }: SearchedTexts): BigUint64Array {
  const bits = new Uint32Array(SIGNATURE_WORDS * 2);
  if (sent.some((text) => text?.includes(DOTTED_I))) bits.fill(0xffffffff);
  for (const text of [transcript, names, ...sent.map((text) => text && folded(text))])
    if (text !== null)
      eachTrigram(text, (trigram) => {
        const hash = hashOf(trigram);
        bits[hash >> 5]! |= 1 << (hash & 31);
      });
  return new BigUint64Array(bits.buffer);
}

/** Returns the bits of the words of a signature that a conversation needs for a search to find it, by the place of the word. */
export function maskOf(search: string): Map<number, bigint> {
  const mask = new Map<number, bigint>();
  if (search.includes(DOTTED_I)) return mask;
  const inNames = new Set<number>();
  eachTrigram(folded(search), (trigram) => inNames.add(hashOf(trigram)));
  eachTrigram(searchText(search), (trigram) => {
    const hash = hashOf(trigram);
    const word = hash >> 6;
    if (!inNames.has(hash) || (mask.size === MASKED_WORDS && !mask.has(word))) return;
    mask.set(word, (mask.get(word) ?? 0n) | (1n << BigInt(hash & 63)));
  });
  return mask;
}

const NO_LETTER = 128;

const folded = (text: string) => text.normalize("NFC").toLowerCase();

/** Returns a hash of 12 bits. */
const hashOf = (trigram: number) => Math.imul(trigram, 0x9e3779b1) >>> 20;

/** The number of different trigrams. */
export const TRIGRAMS = 1 << 21;

/** Calls `use` with the number of each trigram. A search for several lines can match across names, at a line break. */
export function eachTrigram(text: string, use: (trigram: number) => void): void {
  let [before, last] = [NO_LETTER, NO_LETTER];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const next = code < 32 ? NO_LETTER : code;
    if ((before | last | next) < NO_LETTER) use((before << 14) | (last << 7) | next);
    [before, last] = [last, next];
  }
}
