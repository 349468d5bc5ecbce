import type { TextRange } from "../words/words.ts";
import { compile, type Program } from "./program.ts";
import { readPattern, UnreadablePattern } from "./read-pattern.ts";

/** A compiled regular expression. A search takes time linear in the text, for any expression and any text. */
export type Pattern = { source: string; flags: string; program: Program };

const PATTERN_CHARACTERS_MAX = 500;

/** Largest number of steps of a search, which take about 100 ms. */
const STEPS_PER_SEARCH = 1_000_000;

export function patternOf(source: string, flags: string): Pattern | { problem: string } {
  if (source.length > PATTERN_CHARACTERS_MAX)
    return { problem: `A pattern has at most ${PATTERN_CHARACTERS_MAX} characters.` };
  if (!/^[imsu]*$/.test(flags)) return { problem: `The flags of a pattern are i, m, s and u, not ${flags}.` };
  try {
    const program = compile(readPattern(source, flags));
    return program ? { source, flags, program } : { problem: "The pattern is too large; use fewer counted repeats." };
  } catch (error) {
    if (error instanceof UnreadablePattern) return { problem: error.message };
    throw error;
  }
}

/** Typographic characters that also match the characters that people type. */
const TYPED: Record<string, string> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "\u00a0": " ",
};

/** Returns the match that JavaScript's engine finds, apart from the characters in `TYPED`; undefined without a match. */
export function search({ program }: Pattern, text: string): TextRange | "too_costly" | undefined {
  const characters = [...text];
  let steps = 0;
  let offset = 0;
  let threads: Thread[] = [];
  let match: TextRange | undefined;
  const seenAt = new Int32Array(program.length).fill(-1);
  for (let at = 0; at <= characters.length; at++) {
    const [before, after] = [characters[at - 1], characters[at]];
    const reached: Thread[] = [];
    const starting = match === undefined ? [...threads, { step: 0, start: offset }] : threads;
    for (const thread of starting) steps += follow(program, thread, { at, before, after }, seenAt, reached);
    steps += 1;
    if (steps > STEPS_PER_SEARCH) return "too_costly";
    threads = [];
    for (const { step, start } of reached) {
      const current = program[step]!;
      if (current.kind === "match") {
        match = { start, end: offset };
        break;
      }
      if (current.kind === "character" && after !== undefined && fits(current.matches, after))
        threads.push({ step: step + 1, start });
    }
    if (match !== undefined && threads.length === 0) break;
    offset += after?.length ?? 0;
  }
  return match;
}

const fits = (matches: (character: string) => boolean, character: string): boolean =>
  matches(character) || (character in TYPED && matches(TYPED[character]!));

/**
 * A possible match during a search. If two of them reach the same step of the program, only the earlier one continues, because it is
 * preferred.
 */
type Thread = { step: number; start: number };

function follow(
  program: Program,
  { step: from, start }: Thread,
  { at, before, after }: { at: number; before: string | undefined; after: string | undefined },
  seenAt: Int32Array,
  reached: Thread[],
): number {
  let steps = 0;
  const waiting = [from];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if (seenAt[step] === at) continue;
    seenAt[step] = at;
    steps++;
    const current = program[step]!;
    if (current.kind === "jump") waiting.push(current.to);
    else if (current.kind === "fork") waiting.push(current.or, current.to);
    else if (current.kind === "assert") {
      if (current.holds(before, after)) waiting.push(step + 1);
    } else reached.push({ step, start });
  }
  return steps;
}
