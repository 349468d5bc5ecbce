import { withoutAccents } from "./accents.ts";
import { foldLookAlikes } from "./look-alikes.ts";
import { numberAt } from "./number-words.ts";

/** Word in its comparable form, with its position in the original text. */
export type Word = {
  text: string;
  start: number;
  end: number;
  /** Word without its possessive ending, such as `acme` for "Acme's". */
  owner?: string;
  /** True for the digits after the decimal sign of a number. They are not a number by themselves. */
  decimals?: boolean;
  /** True for digits after a slash, as in "24/7". */
  slashed?: boolean;
};

/** Part of a text, from the position `start` up to `end` (exclusive). */
export type TextRange = { start: number; end: number };

/** Matches an e-mail address, a currency or other sign, a number, an ordinal, a word, or one character of a script without spaces. */
const TOKEN =
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+|([$€£])|([%&@]|\+(?!\d)|(?<=\p{L})#|(?<![^\s(])[-−](?=[$€£]?\.?\d))|(\d{1,3}(?:,\d{3})+(?!\d))|(\d+)(?:st|nd|rd|th)(?![\p{L}\p{N}])|\p{N}+|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[\p{L}\p{M}](?:['’]?[\p{L}\p{M}])*/gu;

const SIGNS: Record<string, string> = {
  "%": "percent",
  "&": "and",
  "@": "at",
  "+": "plus",
  ".": "dot",
  "#": "sharp",
  "-": "minus",
  "−": "minus",
};
const CURRENCIES: Record<string, string> = { $: "dollars", "€": "euros", "£": "pounds" };
/** Words that count as another word, such as "dollar" for "dollars". */
const SPELLINGS: Record<string, string> = {
  dollar: "dollars",
  euro: "euros",
  pound: "pounds",
  cent: "cents",
  ok: "okay",
};

/** First parts of contractions that end like a possessive, such as "it" of "it's". */
const NOT_POSSESSIVE = new Set("it that what he she there here let who where how when".split(" "));

/**
 * Returns the words of a text in comparable form, without regard to case, accents, punctuation, spaces and invisible characters. Numbers
 * are in digits, even if they are spelled out in English.
 */
export function wordsOf(text: string): Word[] {
  const { visible, at: positions } = visibleOf(text);
  const tokens = inSpokenOrder([...visible.matchAll(TOKEN)].flatMap((match) => tokensOf(match, visible)));
  const texts = tokens.map((token) => token.text);
  const words: Word[] = [];
  for (let at = 0; at < tokens.length;) {
    const number = tokens[at]!.decimals ? undefined : numberAt(texts, at);
    const used = number?.words ?? 1;
    const [first, last] = [tokens[at]!, tokens[at + used - 1]!];
    words.push({
      ...first,
      text: number?.digits ?? first.text,
      start: positions(first.start),
      end: positions(last.end - 1) + 1,
    });
    at += used;
  }
  return withMoney(withFractions(words));
}

const isNumber = (word: Word | undefined): word is Word => word !== undefined && /^\d+$/.test(word.text);

/** Words after which "point" is a noun, as in "at this point 5 guests". */
const NOUN_BEFORE = new Set("the a this that some every each which what any no one bullet starting meeting".split(" "));

/** Reads "point one five" as the decimals 15, "point" before digits without a number as "zero point", and "negative 5" as minus 5. */
function withFractions(words: readonly Word[]): Word[] {
  const read: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const first = words[at + 1];
    const isPoint = word.text === "point" && (isNumber(read.at(-1)) || !NOUN_BEFORE.has(read.at(-1)?.text ?? ""));
    if (!isPoint || !isNumber(first)) {
      read.push(word.text === "negative" && isNumber(first) ? { ...word, text: "minus" } : word);
      continue;
    }
    const digits = [first];
    while (first.text.length === 1 && words[at + 1 + digits.length]?.text.length === 1) {
      const next = words[at + 1 + digits.length];
      if (!isNumber(next)) break;
      digits.push(next);
    }
    if (!isNumber(read.at(-1))) read.push({ text: "0", start: word.start, end: word.end });
    const text = digits.map((digit) => digit.text).join("");
    read.push({ text, start: word.start, end: digits.at(-1)!.end, decimals: true });
    at += digits.length;
  }
  return read;
}

/** Reads "12 dollars and 50 cents" as 12.50 dollars. */
function withMoney(words: readonly Word[]): Word[] {
  const read: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const [amount, currency] = [words[at]!, words[at + 1]];
    const from = words[at + 2]?.text === "and" ? at + 3 : at + 2;
    const [cents, unit] = [words[from], words[from + 1]];
    const isPrice =
      isNumber(amount) &&
      currency !== undefined &&
      isCurrency(currency) &&
      isNumber(cents) &&
      cents.text.length <= 2 &&
      (unit?.text === "cents" || unit?.text === "pence");
    if (!isPrice) {
      read.push(amount);
      continue;
    }
    read.push(amount, { ...cents, text: cents.text.padStart(2, "0"), decimals: true }, { ...currency, end: unit!.end });
    at = from + 1;
  }
  return read;
}

const INVISIBLE = /\p{Cf}/u;

function visibleOf(text: string): { visible: string; at: (position: number) => number } {
  if (!INVISIBLE.test(text)) return { visible: text, at: (position) => position };
  const origins: number[] = [];
  let visible = "";
  for (let at = 0; at < text.length; at++) {
    if (INVISIBLE.test(text[at]!)) continue;
    origins.push(at);
    visible += text[at]!;
  }
  return { visible, at: (position) => origins[position]! };
}

function tokensOf(match: RegExpExecArray, text: string): Word[] {
  const [token, currency, sign, thousands, ordinal] = match;
  const start = match.index;
  const place = { start, end: start + token.length };
  if (currency !== undefined) return [{ ...place, text: CURRENCIES[currency]! }];
  if (sign !== undefined) return [{ ...place, text: SIGNS[sign]! }];
  if (token.includes("@")) return addressTokens(token, start);
  if (/^\d/.test(token)) {
    const before = text.slice(Math.max(0, start - 2), start);
    const number = thousands?.replaceAll(",", "") ?? ordinal ?? fold(token);
    if (/(?:^|[\s(-])\.$/.test(before) && thousands === undefined && ordinal === undefined)
      return [
        { text: "0", start: start - 1, end: start },
        { ...place, text: number, decimals: true },
      ];
    const decimals = /\d[.,]$/.test(before) && isDecimal(text, start, token);
    const slashed = /\d\/$/.test(before);
    return [{ ...place, text: number, ...(decimals && { decimals }), ...(slashed && { slashed }) }];
  }
  const isOneLetter = token.length === 1 && text[start + 1] === "-" && /^[ext]$/i.test(token);
  const prefixed = isOneLetter && /^-\p{L}{2,}/u.test(text.slice(start + 1)) && text[start - 1] !== "-";
  if (prefixed) return [{ ...place, text: `${fold(token)}-` }];
  const possessive = /^(.+)['’]s$/i.exec(token)?.[1];
  const folded = SPELLINGS[fold(token)] ?? fold(token);
  const owner = possessive === undefined || NOT_POSSESSIVE.has(fold(possessive)) ? undefined : fold(possessive);
  return [{ ...place, text: folded, ...(owner !== undefined && { owner }) }];
}

/** Returns whether one or two digits after a point end a number, as in a price. Telephone numbers have more groups. */
const isDecimal = (text: string, start: number, token: string): boolean =>
  token.length <= 2 && !/^[.,]?\d/.test(text.slice(start + token.length)) && !/\d\.\d+\.$/.test(text.slice(0, start));

function addressTokens(address: string, start: number): Word[] {
  return [...address.matchAll(/[@.+]|\d+|[^@.+\d\W]+/g)].map((part) => ({
    text: SIGNS[part[0]] ?? fold(part[0]),
    start: start + part.index,
    end: start + part.index + part[0].length,
  }));
}

/** Joins "e-" with "mail". Moves a currency sign behind its number, where people say it. */
function inSpokenOrder(tokens: readonly Word[]): Word[] {
  const ordered: Word[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const next = tokens[at + 1];
    if (token.text.endsWith("-") && next !== undefined) {
      ordered.push({ text: token.text.slice(0, -1) + next.text, start: token.start, end: next.end });
      at++;
    } else if (next !== undefined && isPrefix(token, next) && !follows(ordered.at(-1), token)) {
      const amount = [next];
      while (tokens[at + 1 + amount.length]?.decimals) amount.push(tokens[at + 1 + amount.length]!);
      const end = amount.at(-1)!.end;
      ordered.push({ ...next, start: token.start }, ...amount.slice(1), { text: token.text, start: end - 1, end });
      at += amount.length;
    } else ordered.push(token);
  }
  return ordered;
}

const isPrefix = (token: Word, next: Word): boolean =>
  token.end - token.start === 1 && isCurrency(token) && /^\d/.test(next.text) && next.start - token.end <= 1;

const follows = (before: Word | undefined, { start }: Word): boolean =>
  before !== undefined && /^\d/.test(before.text) && start - before.end <= 1;

export const isCurrency = ({ text }: Word): boolean => Object.values(CURRENCIES).includes(text);

const fold = (token: string): string =>
  withoutAccents(foldLookAlikes(token))
    .replace(/[\u0300-\u036f'’]/g, "")
    .toLowerCase();

/**
 * Number of digits of the shortest telephone number. A telephone number may begin within a number, because a country code may precede it.
 */
const TELEPHONE_DIGITS_MIN = 7;

/**
 * Finds a text in words that are joined without spaces. The place begins and ends at word boundaries; if `telephone` is true, a telephone
 * number may begin and end anywhere.
 */
export function findJoined(wanted: string, said: readonly Word[], telephone = true): TextRange | undefined {
  if (wanted === "") return undefined;
  const starts = new Map<number, Word>();
  const ends = new Map<number, Word>();
  let joined = "";
  for (const word of said) {
    starts.set(joined.length, word);
    joined += word.text;
    ends.set(joined.length, word);
  }
  const anywhere = telephone && /^\d+$/.test(wanted) && wanted.length >= TELEPHONE_DIGITS_MIN;
  for (let at = joined.indexOf(wanted); at >= 0; at = joined.indexOf(wanted, at + 1)) {
    const [first, last] = [starts.get(at), ends.get(at + wanted.length)];
    if (first !== undefined && last !== undefined) return { start: first.start, end: last.end };
    if (anywhere) return rangeOf(said, at, at + wanted.length);
  }
  return undefined;
}

function rangeOf(said: readonly Word[], from: number, to: number): TextRange {
  let at = 0;
  const within = said.filter((word) => {
    const start = at;
    at += word.text.length;
    return at > from && start < to;
  });
  return { start: within[0]!.start, end: within.at(-1)!.end };
}
