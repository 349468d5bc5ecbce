import { jsonOf, shown } from "../bounds.ts";
import type { Evidence, EvidenceToolCall, EvidenceTurn } from "../evidence.ts";

const TURN_SHOWN = 4_000;
const VALUE_SHOWN = 2_000;
const TRANSCRIPT_SHOWN = 100_000;
/** Of a transcript that is too long the beginning matters most, then the end. */
const HEAD_SHARE = 0.6;

/** Turns and tool calls in the order in which they began, one line each, with the turn's number before it. */
export function transcriptLines(evidence: Evidence): string[] {
  const lines = [
    ...evidence.turns.map((turn, place) => ({ atMs: turn.startMs, rank: 0, line: turnLine(turn, place) })),
    ...evidence.toolCalls.map((call) => ({ atMs: call.startMs, rank: 1, line: callLine(call) })),
  ];
  return withinBounds(lines.toSorted((a, b) => a.atMs - b.atMs || a.rank - b.rank).map(({ line }) => line));
}

/** What of a turn a quote may be taken from: its words, and the tool calls that it made. */
export function quotable({ turns, toolCalls }: Evidence, place: number): string[] {
  const text = turns[place]?.text ?? null;
  const calls = toolCalls.filter(({ turn }) => turn === place || turn === null).map(callLine);
  return text === null ? calls : [oneLine(text), ...calls];
}

const turnLine = ({ speaker, text, interrupted }: EvidenceTurn, place: number) =>
  `[${place}] ${speaker}${interrupted ? " (interrupted)" : ""}: ${text === null ? "(words not known)" : shown(oneLine(text), TURN_SHOWN)}`;

function callLine({ name, arguments: given, result, outcome, turn, mocked }: EvidenceToolCall): string {
  const facts = [outcome ?? "outcome not known", ...(mocked ? ["simulated"] : [])].join(", ");
  return `[${turn ?? "?"}] tool call ${oneLine(name ?? "(name not known)")}(${shownValue(given)}) → ${facts}: ${shownValue(result)}`;
}

const shownValue = (value: unknown) =>
  value === null || value === undefined
    ? "not known"
    : shown(oneLine(typeof value === "string" ? value : jsonOf(value)), VALUE_SHOWN);

/** A line break in what somebody said would begin a line that nobody said. */
const oneLine = (text: string) => text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();

function withinBounds(lines: readonly string[]): string[] {
  const [head, tail] = [
    taken(lines, TRANSCRIPT_SHOWN * HEAD_SHARE),
    taken(lines.toReversed(), TRANSCRIPT_SHOWN * (1 - HEAD_SHARE)),
  ];
  const left = lines.length - head - tail;
  if (left <= 0) return [...lines];
  return [...lines.slice(0, head), `(${left} lines left out)`, ...lines.slice(lines.length - tail)];
}

/** How many of the lines fit. */
function taken(lines: readonly string[], characters: number): number {
  let used = 0;
  const first = lines.findIndex((line) => (used += line.length + 1) > characters);
  return first < 0 ? lines.length : first;
}
