import type { Grade, Verdict } from "@svc/contract";

const WORDS: Record<Verdict, string> = {
  passed: "Passed",
  failed: "Failed",
  inconclusive: "Inconclusive",
  errored: "Errored",
  not_graded: "Not graded",
};

const ORDER: readonly Verdict[] = ["failed", "errored", "inconclusive", "passed", "not_graded"];

/** Words of a turn that support a verdict. */
export type Mark = {
  /** Key of the grade, from `gradeKey`. Several marks can have the same key. */
  id: string;
  /** Number that is shown after the words and on the card of the grade. */
  number: number;
  turn: number;
  /** The quoted words; null for the whole turn. */
  quote: string | null;
  /** The verdict in words, for screen readers. */
  label: string;
};

type Segment = { text: string; marks: readonly Mark[]; heard: boolean };

type Range = { from: number; until: number; marks: Mark[] };

/** Overlapping quotes become one segment. Marks whose quote is not in the text are returned as `unplaced`. */
export function segmentsOf(text: string, marks: readonly Mark[], heardLength = text.length) {
  const ranges: Range[] = [];
  const unplaced: Mark[] = [];
  for (const mark of marks) {
    const found = mark.quote === null ? null : find(text, mark.quote);
    if (found === null) unplaced.push(mark);
    else ranges.push({ ...found, marks: [mark] });
  }
  const segments: Segment[] = [];
  let at = 0;
  for (const { from, until, marks: own } of merge(ranges)) {
    add(at, from, []);
    add(from, until, own);
    at = until;
  }
  add(at, text.length, []);
  return { segments, unplaced };

  /** Adds two segments if the caller heard only the first part of the text. */
  function add(from: number, until: number, own: readonly Mark[]): void {
    const middle = Math.min(Math.max(from, heardLength), until);
    if (middle > from) segments.push({ text: text.slice(from, middle), marks: own, heard: true });
    if (until > middle) segments.push({ text: text.slice(middle, until), marks: own, heard: false });
  }
}

/** Ignores differences in white space and case. */
function find(text: string, quote: string): { from: number; until: number } | null {
  const wanted = quote.trim();
  if (wanted === "") return null;
  const exact = text.indexOf(wanted);
  if (exact >= 0) return { from: exact, until: exact + wanted.length };
  const pattern = wanted.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const loose = pattern.length > 200 ? null : new RegExp(pattern.join("\\s+"), "iu").exec(text);
  return loose && { from: loose.index, until: loose.index + loose[0].length };
}

function merge(ranges: Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from || a.until - b.until)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from < last.until) {
      last.until = Math.max(last.until, range.until);
      last.marks.push(...range.marks);
    } else merged.push({ ...range, marks: [...range.marks] });
  }
  for (const range of merged) range.marks.sort((a, b) => a.number - b.number);
  return merged;
}

/** Returns the whole length if it is unknown how much the caller heard. */
export const heardLength = (text: string, heard: string | null): number =>
  heard !== null && text.startsWith(heard) ? heard.length : text.length;

type MarkedGrade = Pick<Grade, "id" | "graderId" | "criterion" | "verdict" | "evidence" | "counts">;

/** Returns a key that is unique in a conversation. A grade's id is not enough, because the grade of a veto has none. */
export const gradeKey = ({ id, graderId, criterion }: Pick<Grade, "id" | "graderId" | "criterion">): string =>
  id ?? `${graderId} ${criterion}`;

export const inReadingOrder = <Of extends Pick<Grade, "verdict" | "counts">>(grades: readonly Of[]): Of[] =>
  grades.toSorted((a, b) => Number(b.counts) - Number(a.counts) || ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));

export function marksOfGrades(grades: readonly MarkedGrade[]): { numbers: Map<string, number>; marks: Mark[] } {
  const numbers = new Map<string, number>();
  const marks: Mark[] = [];
  for (const grade of inReadingOrder(grades)) {
    const quotes = grade.evidence.flatMap(({ turn, quote, speaker }) =>
      turn === null || speaker === "tool" ? [] : [{ turn, quote }],
    );
    if (quotes.length === 0) continue;
    const id = gradeKey(grade);
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    const label = `${WORDS[grade.verdict]}: ${grade.criterion}`;
    for (const { turn, quote } of quotes) marks.push({ id, number, turn, quote, label });
  }
  return { numbers, marks };
}
