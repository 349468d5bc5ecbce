import { cutShort } from "../absence.ts";
import { excerpt, jsonOf } from "../bounds.ts";
import { type Evidence, type EvidenceToolCall, type EvidenceTurn, readText } from "../evidence.ts";

const TURN_CHARACTERS = 4_000;
const VALUE_CHARACTERS = 2_000;
const TRANSCRIPT_CHARACTERS = 100_000;
/** If a transcript is too long, its beginning gets this share of the space, and its end gets the rest. */
const HEAD_SHARE = 0.6;

export function transcriptLines(evidence: Evidence): string[] {
  const lines = allLines(evidence);
  const { head, tail, left } = boundsOf(lines);
  if (left === 0) return lines;
  return [...lines.slice(0, head), `(${left} lines left out)`, ...lines.slice(lines.length - tail)];
}

export function gapOf(evidence: Evidence): string | null {
  const missing = cutShort(evidence);
  if (missing !== null) return missing;
  const { left } = boundsOf(allLines(evidence));
  if (left > 0) return `The record is too long for a judge: ${left} of its lines were left out.`;
  const unknown = evidence.turns.findIndex((turn) => readText(turn) === null);
  if (unknown >= 0) return `The words of turn ${unknown} are not known.`;
  const cut = evidence.turns.findIndex((turn) => oneLine(readText(turn) ?? "").length > TURN_CHARACTERS);
  if (cut >= 0) return `The record shows only the first ${TURN_CHARACTERS} characters of turn ${cut}.`;
  const long = evidence.toolCalls.find(({ arguments: input, result }) => isCut(input) || isCut(result));
  return long ? `The record shows only the first ${VALUE_CHARACTERS} characters of a value of ${long.name}.` : null;
}

const isCut = (value: unknown): boolean => lineOf(value).length > VALUE_CHARACTERS;

export type LineSpeaker = "agent" | "caller" | "tool";

export function quotable({ turns, toolCalls }: Evidence, index: number, speaker: LineSpeaker): string[] {
  if (speaker === "tool")
    return toolCalls.filter(({ turn }) => turn === index || turn === null).map((call) => callLine(call));
  const turn = turns[index];
  const text = turn?.speaker === speaker ? readText(turn) : null;
  return text === null ? [] : [oneLine(text)];
}

export const linesOfTurn = (evidence: Evidence, index: number): string[] => [
  ...evidence.turns.slice(index, index + 1).map((turn) => turnLine(turn, index)),
  ...evidence.toolCalls.filter(({ turn }) => turn === index).map(callLine),
];

const prefixOf = ({ speaker, interrupted }: EvidenceTurn, index: number) =>
  `[${index}] ${speaker}${interrupted ? " (interrupted)" : ""}:`;

function turnLine(turn: EvidenceTurn, index: number): string {
  const text = readText(turn);
  return `${prefixOf(turn, index)} ${text === null ? "(words not known)" : excerpt(oneLine(text), TURN_CHARACTERS)}`;
}

function callLine({ name, arguments: input, result, outcome, turn, mocked }: EvidenceToolCall): string {
  const facts = [outcome ?? "outcome not known", ...(mocked ? ["simulated"] : [])].join(", ");
  return `[${turn ?? "?"}] tool call ${oneLine(name ?? "(name not known)")}(${valueText(input)}) → ${facts}: ${valueText(result)}`;
}

const valueText = (value: unknown) =>
  value === null || value === undefined ? "not known" : excerpt(lineOf(value), VALUE_CHARACTERS);

const lineOf = (value: unknown): string =>
  value === null || value === undefined ? "" : oneLine(typeof value === "string" ? value : jsonOf(value));

/** Returns a text with line breaks replaced, so that the words of a speaker cannot start a line of the record. */
const oneLine = (text: string) => text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();

function allLines(evidence: Evidence): string[] {
  const lines = [
    ...evidence.turns.map((turn, index) => ({ atMs: turn.startMs, rank: 0, line: turnLine(turn, index) })),
    ...evidence.toolCalls.map((call) => ({ atMs: call.startMs, rank: 1, line: callLine(call) })),
  ];
  return lines.toSorted((a, b) => a.atMs - b.atMs || a.rank - b.rank).map(({ line }) => line);
}

function boundsOf(lines: readonly string[]): { head: number; tail: number; left: number } {
  const head = countFitting(lines, TRANSCRIPT_CHARACTERS * HEAD_SHARE);
  const tail = countFitting(lines.toReversed(), TRANSCRIPT_CHARACTERS * (1 - HEAD_SHARE));
  return { head, tail, left: Math.max(0, lines.length - head - tail) };
}

function countFitting(lines: readonly string[], characters: number): number {
  let used = 0;
  const first = lines.findIndex((line) => (used += line.length + 1) > characters);
  return first < 0 ? lines.length : first;
}
