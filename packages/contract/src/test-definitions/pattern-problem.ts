const PATTERN_CHARACTERS_MAX = 500;
const REPEATS_MAX = 100;

/**
 * Returns why the service cannot search with a regular expression, as a sentence with the fix; undefined for a valid expression. The
 * service searches in linear time, so it does not support look-around and back references.
 */
export function patternProblem(source: string): string | undefined {
  if (source.length > PATTERN_CHARACTERS_MAX) return `A pattern has at most ${PATTERN_CHARACTERS_MAX} characters.`;
  if (/(?:^|[^\\])(?:\\\\)*\(\?(?!:|<\w+>)/.test(source)) {
    return "Look-around and other (?…) groups are not supported. Write the pattern without them.";
  }
  const escape = escapes(source).find((sign) => /[A-Za-z0-9_]/.test(sign) && !/[dDsSwWnrtfvbBpPux]/.test(sign));
  if (escape !== undefined) return `\\${escape} is not supported. Write the pattern without back references.`;
  if ([...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].some(([, least, most]) => exceeds(least) || exceeds(most))) {
    return `A pattern repeats a part at most ${REPEATS_MAX} times, or without a limit.`;
  }
  try {
    return RegExp(source.replace(/\\([^])/g, unicodeEscape), "iu") && undefined;
  } catch (error) {
    return `The pattern cannot be read (${reasonOf(error as Error)}). Write it as a regular expression, and a character such as ( or ? as \\( or \\?.`;
  }
}

const exceeds = (count: string | undefined): boolean => Number(count ?? 0) > REPEATS_MAX;

const escapes = (source: string): string[] => [...source.matchAll(/\\([^])/g)].map(([, sign]) => sign!);

/** Rewrites an escaped punctuation character as a code point, because Unicode mode rejects escapes such as `\-`. */
const unicodeEscape = (escape: string, sign: string): string =>
  /\w/.test(sign) ? escape : `\\u{${sign.codePointAt(0)!.toString(16)}}`;

/** Returns the reason in the engine's error without the pattern and in lower case: `unterminated group`. */
const reasonOf = ({ message }: Error): string => message.slice(message.lastIndexOf(": ") + 2).toLowerCase();
