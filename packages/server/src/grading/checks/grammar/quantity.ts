const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
export const COUNT = `(?:\\d{1,4}|${NUMBERS.slice(1).join("|")})`;

export function countOf(text: string): number {
  const word = NUMBERS.indexOf(text.toLowerCase());
  return word >= 0 ? word : Number(text);
}

type Bounds = { least: number; most: number };

const TIMES = `(?:(?<word>once|twice|thrice)|(?<count>${COUNT})\\s+times?)`;
const AT_MOST = "at\\s+most|no\\s+more\\s+than|not\\s+more\\s+than|a\\s+maximum\\s+of|up\\s+to";
const AT_LEAST = "at\\s+least|no\\s+less\\s+than|no\\s+fewer\\s+than|a\\s+minimum\\s+of";
const POSITIVE = new RegExp(`^(?:(?<most>${AT_MOST})|(?<least>${AT_LEAST})|exactly|only|just)?\\s*${TIMES}$`, "i");
const NEGATIVE = new RegExp(`^(?:more\\s+(?:often\\s+)?than|over)\\s+${TIMES}$`, "i");

/** Returns the smallest and largest number that a phrase allows. After "never", only phrases such as "more than twice" are unambiguous. */
export function boundsOf(text: string, never: boolean): Bounds | undefined {
  const groups = (never ? NEGATIVE : POSITIVE).exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const word = groups["word"]?.toLowerCase();
  const count = word ? { once: 1, twice: 2, thrice: 3 }[word]! : countOf(groups["count"]!);
  if (never || groups["most"]) return { least: 0, most: count };
  return { least: count, most: groups["least"] ? Infinity : count };
}

export function boundsWords({ least, most }: Bounds): string | undefined {
  const times = (count: number) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);
  if (most === Infinity) return least === 1 ? undefined : `at least ${times(least)}`;
  return least === most ? `exactly ${times(most)}` : `at most ${times(most)}`;
}

const UNIT = "(?:ms|milliseconds?|msecs?|s|secs?|seconds?)";
export const DURATION = `(?<amount>\\d{1,6}(?:\\.\\d{1,3})?|${NUMBERS.slice(1).join("|")})\\s*(?<unit>${UNIT})`;

export function msOf(groups: Record<string, string | undefined>): number {
  return Math.round(countOf(groups["amount"]!) * (/^m/i.test(groups["unit"]!) ? 1 : 1000) * 1000) / 1000;
}

export const WITHIN = "(?:within|in\\s+at\\s+most|in\\s+no\\s+more\\s+than|in\\s+(?<under>under|less\\s+than))";
