import type { PatternNode } from "./program.ts";

export class UnreadablePattern extends Error {}

const REPEATS_MAX = 100;
const DEPTH_MAX = 50;
const WORD = /\w/;

/** Parses a regular expression. Throws `UnreadablePattern` for look-around and back references, because they cannot run in linear time. */
export function readPattern(source: string, flags: string): PatternNode {
  let at = 0;
  let depth = 0;
  const insensitive = flags.includes("i");
  const multiline = flags.includes("m");
  const dotAll = flags.includes("s");
  const refuse = (problem: string) => new UnreadablePattern(problem);
  const one = (expression: string) => characterClass(expression, `u${insensitive ? "i" : ""}${dotAll ? "s" : ""}`);
  const next = () => String.fromCodePoint(source.codePointAt(at)!);

  function choice(): PatternNode {
    const options = [sequence()];
    while (source[at] === "|") {
      at++;
      options.push(sequence());
    }
    return options.length === 1 ? options[0]! : { kind: "choice", options };
  }

  function sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated());
    return parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
  }

  function repeated(): PatternNode {
    const part = atom();
    const times = /^(?:[*+?]|\{(\d{1,6})(,(\d{0,6}))?\})(\??)/.exec(source.slice(at, at + 20));
    if (times === null) return part;
    if (part.kind === "assert") throw refuse("An assertion, like ^ or \\b, cannot be repeated.");
    at += times[0].length;
    const sign = times[0][0]!;
    const least = sign === "+" ? 1 : Number(times[1] ?? 0);
    const open = sign === "*" || sign === "+" || (times[2] !== undefined && times[3] === "");
    const most = open ? Infinity : sign === "?" ? 1 : Number(times[3] ?? least);
    if (least > REPEATS_MAX || (most !== Infinity && most > REPEATS_MAX))
      throw refuse(`A pattern repeats a part at most ${REPEATS_MAX} times, or without a limit.`);
    if (most < least) throw refuse("The bounds of a repeat are out of order.");
    if (/^[*+?]|^\{\d/.test(source.slice(at)))
      throw refuse(
        "A * + or ? has nothing before it to repeat. Put a character before it, or a \\ for the character itself.",
      );
    return { kind: "repeat", part, least, most, lazy: times[4] === "?" };
  }

  function atom(): PatternNode {
    const sign = next();
    if (sign === "(") return group();
    if (sign === "[") return listed();
    if (sign === "\\") return escaped();
    at += sign.length;
    if (sign === "^")
      return { kind: "assert", holds: (before) => before === undefined || (multiline && before === "\n") };
    if (sign === "$")
      return { kind: "assert", holds: (_, after) => after === undefined || (multiline && after === "\n") };
    if (sign === ".") return { kind: "character", matches: one(".") };
    if (/[*+?]/.test(sign))
      throw refuse(
        "A * + or ? has nothing before it to repeat. Put a character before it, or a \\ for the character itself.",
      );
    return literal(sign);
  }

  function group(): PatternNode {
    const opening = /^\((?:\?:|\?<\w+>)?/.exec(source.slice(at, at + 60))![0];
    at += opening.length;
    if (source[at] === "?")
      throw refuse("Look-around and other (?…) groups are not supported. Write the pattern without them.");
    if (++depth > DEPTH_MAX) throw refuse(`Groups nest at most ${DEPTH_MAX} levels deep.`);
    const inner = choice();
    if (source[at] !== ")") throw refuse("A ( is not closed. Close it with ), or write \\( for the character itself.");
    depth--;
    at++;
    // A group that contains only an assertion becomes a sequence, so that it can be repeated.
    return inner.kind === "assert" ? { kind: "sequence", parts: [inner] } : inner;
  }

  function listed(): PatternNode {
    const whole = /^\[(?:\\[^]|[^\]\\])*\]/.exec(source.slice(at));
    if (whole === null) throw refuse("A [ is not closed. Close it with ], or write \\[ for the character itself.");
    at += whole[0].length;
    return { kind: "character", matches: one(whole[0].replace(/\\([^])/g, unicodeEscape)) };
  }

  function escaped(): PatternNode {
    const rest = source.slice(at, at + 50);
    const classEscape = /^\\(?:[pP]\{[\w=]+\}|u\{[\da-fA-F]{1,6}\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[dDsSwWnrtfv])/.exec(
      rest,
    );
    if (classEscape !== null) {
      at += classEscape[0].length;
      return { kind: "character", matches: one(classEscape[0]) };
    }
    const sign = rest[1];
    if (sign === undefined)
      throw refuse("A pattern cannot end with \\. Remove it, or write \\\\ for the character itself.");
    if (sign === "b" || sign === "B") {
      at += 2;
      return { kind: "assert", holds: (before, after) => (isWord(before) !== isWord(after)) === (sign === "b") };
    }
    if (/\w/.test(sign)) throw refuse(`\\${sign} is not supported. Write the pattern without back references.`);
    at++;
    const literally = next();
    at += literally.length;
    return literal(literally);
  }

  const literal = (sign: string): PatternNode => ({
    kind: "character",
    matches: insensitive ? one(escapedLiteral(sign)) : (character) => character === sign,
  });

  const pattern = choice();
  if (at < source.length) throw refuse("A ) has no opening (. Open it, or write \\) for the character itself.");
  return pattern;
}

const isWord = (character: string | undefined) => character !== undefined && WORD.test(character);

/** Returns an escape that JavaScript's engine accepts in Unicode mode. */
const unicodeEscape = (escape: string, sign: string) => (/[\w\\\]^-]/.test(sign) ? escape : escapedLiteral(sign));

const escapedLiteral = (sign: string) => `\\u{${sign.codePointAt(0)!.toString(16)}}`;

/** Returns a test of single characters. It uses JavaScript's engine, which cannot backtrack on a single character. */
function characterClass(expression: string, flags: string): (character: string) => boolean {
  let compiled: RegExp;
  try {
    compiled = new RegExp(`^${expression}$`, flags);
  } catch {
    throw new UnreadablePattern(`${expression} cannot be read.`);
  }
  const results = new Map<string, boolean>();
  return (character) => {
    const cached = results.get(character);
    if (cached !== undefined) return cached;
    const result = compiled.test(character);
    if (results.size < 1_000) results.set(character, result);
    return result;
  };
}
