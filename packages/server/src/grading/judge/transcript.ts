import { excerpt, jsonOf } from "../bounds.ts";
import type { Evidence, EvidenceToolCall, EvidenceTurn } from "../evidence.ts";

const TURN_CHARACTERS = 4_000;
const VALUE_CHARACTERS = 2_000;
const TRANSCRIPT_CHARACTERS = 100_000;
/** The share of the beginning when a transcript is too long; the rest is its end. */
const HEAD_SHARE = 0.6;

/** Returns turns and tool calls by start, one line each, with the turn's number first. */
export function transcriptLines(evidence: Evidence): string[] {
  const lines = [
    ...evidence.turns.map((turn, index) => ({ atMs: turn.startMs, rank: 0, line: turnLine(turn, index) })),
    ...evidence.toolCalls.map((call) => ({ atMs: call.startMs, rank: 1, line: callLine(call) })),
  ];
  return withinBounds(lines.toSorted((a, b) => a.atMs - b.atMs || a.rank - b.rank).map(({ line }) => line));
}

/** Returns the texts of a turn that a judge may quote: its words and its tool calls. */
export function quotable({ turns, toolCalls }: Evidence, index: number): string[] {
  const text = turns[index]?.text ?? null;
  const calls = toolCalls.filter(({ turn }) => turn === index || turn === null).map(callLine);
  return text === null ? calls : [oneLine(text), ...calls];
}

const turnLine = ({ speaker, text, interrupted }: EvidenceTurn, index: number) =>
  `[${index}] ${speaker}${interrupted ? " (interrupted)" : ""}: ${text === null ? "(words not known)" : excerpt(oneLine(text), TURN_CHARACTERS)}`;

function callLine({ name, arguments: input, result, outcome, turn, mocked }: EvidenceToolCall): string {
  const facts = [outcome ?? "outcome not known", ...(mocked ? ["simulated"] : [])].join(", ");
  return `[${turn ?? "?"}] tool call ${oneLine(name ?? "(name not known)")}(${valueText(input)}) → ${facts}: ${valueText(result)}`;
}

const valueText = (value: unknown) =>
  value === null || value === undefined
    ? "not known"
    : excerpt(oneLine(typeof value === "string" ? value : jsonOf(value)), VALUE_CHARACTERS);

/** Replaces line breaks, because a speaker's text must not start a line of the record. */
const oneLine = (text: string) => text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();

function withinBounds(lines: readonly string[]): string[] {
  const [head, tail] = [
    countFitting(lines, TRANSCRIPT_CHARACTERS * HEAD_SHARE),
    countFitting(lines.toReversed(), TRANSCRIPT_CHARACTERS * (1 - HEAD_SHARE)),
  ];
  const left = lines.length - head - tail;
  if (left <= 0) return [...lines];
  return [...lines.slice(0, head), `(${left} lines left out)`, ...lines.slice(lines.length - tail)];
}

/** Returns how many of the lines fit. */
function countFitting(lines: readonly string[], characters: number): number {
  let used = 0;
  const first = lines.findIndex((line) => (used += line.length + 1) > characters);
  return first < 0 ? lines.length : first;
}
