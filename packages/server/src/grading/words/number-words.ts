const UNDER_TWENTY =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const ORDINALS_UNDER_TWENTY =
  "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

const SMALL = new Map<string, number>([
  ...[UNDER_TWENTY, ORDINALS_UNDER_TWENTY].flatMap((words) => words.map((word, value) => [word, value] as const)),
  ...TENS.map((word, index) => [word, (index + 2) * 10] as const),
  ...TENS.map((word, index) => [`${word.slice(0, -1)}ieth`, (index + 2) * 10] as const),
  ["nought", 0],
]);
const SCALES = [
  ["million", 1_000_000],
  ["thousand", 1_000],
] as const;
const TIMES = new Map([
  ["double", 2],
  ["triple", 3],
]);

/** Words that are numbers only after tens, as in "twenty second". "Second" alone usually means a time. */
const NOT_ALONE = new Set(["second", "zeroth"]);

type SpokenNumber = { value: number; words: number };

/**
 * Returns the number that the English words at `from` spell, as digits, with the number of these words. Single digits are separate numbers,
 * as in a spoken telephone number: "five five five" is three numbers.
 */
export function numberAt(words: readonly string[], from: number): { digits: string; words: number } | undefined {
  const repeated = TIMES.get(words[from]!);
  const digit = repeated === undefined ? undefined : (SMALL.get(words[from + 1]!) ?? singleDigit(words[from + 1]));
  if (repeated !== undefined && digit !== undefined && digit < 10)
    return { digits: String(digit).repeat(repeated), words: 2 };
  if (words[from] === "oh" || words[from] === "o")
    return isAmongDigits(words, from) ? { digits: "0", words: 1 } : undefined;
  const number = scaled(words, from);
  return number && { digits: String(number.value), words: number.words };
}

const singleDigit = (word: string | undefined) => (word !== undefined && /^\d$/.test(word) ? Number(word) : undefined);

const saysDigit = (word: string | undefined) =>
  word !== undefined && ((SMALL.get(word) ?? 10) < 10 || word === "oh" || word === "o" || /^\d$/.test(word));

/** Returns whether a word is next to digits. Only there, "oh" is a zero. */
const isAmongDigits = (words: readonly string[], at: number) =>
  saysDigit(words[at - 1]) || (saysDigit(words[at + 1]) && saysDigit(words[at + 2]));

function scaled(words: readonly string[], from: number): SpokenNumber | undefined {
  let [total, at] = [0, from];
  for (const [scale, factor] of SCALES) {
    const part = underThousand(words, at);
    if (part === undefined || words[at + part.words] !== scale) continue;
    total += part.value * factor;
    at += part.words + 1;
  }
  const joined = at > from && words[at] === "and" ? 1 : 0;
  const rest = underThousand(words, at + joined);
  if (rest === undefined) return at > from ? { value: total, words: at - from } : undefined;
  return { value: total + rest.value, words: at - from + joined + rest.words };
}

function underThousand(words: readonly string[], from: number): SpokenNumber | undefined {
  const head = underHundred(words, from);
  if (head === undefined || words[from + head.words] !== "hundred" || head.value === 0) return head;
  let used = head.words + 1;
  const joined = words[from + used] === "and" ? 1 : 0;
  const tail = underHundred(words, from + used + joined);
  if (tail === undefined) return { value: head.value * 100, words: used };
  used += joined + tail.words;
  return { value: head.value * 100 + tail.value, words: used };
}

function underHundred(words: readonly string[], from: number): SpokenNumber | undefined {
  const head = SMALL.get(words[from]!);
  if (head === undefined || NOT_ALONE.has(words[from]!)) return undefined;
  const unit = head >= 20 && TENS.includes(words[from]!) ? SMALL.get(words[from + 1]!) : undefined;
  if (unit === undefined || unit === 0 || unit > 9) return { value: head, words: 1 };
  return { value: head + unit, words: 2 };
}
