import type { Grade, Verdict } from "@svc/contract";
import type { Mark } from "./marks.ts";

const WORDS: Record<Verdict, string> = {
  passed: "Passed",
  failed: "Failed",
  inconclusive: "Inconclusive",
  errored: "Errored",
  not_graded: "Not graded",
};
const ORDER: readonly Verdict[] = ["failed", "errored", "inconclusive", "passed", "not_graded"];

type MarkedGrade = Pick<Grade, "id" | "graderId" | "criterion" | "verdict" | "evidence" | "counts">;

/** Returns the key of a grade among the grades of one conversation. A veto has no id. */
export const gradeKey = ({ id, graderId, criterion }: Pick<Grade, "id" | "graderId" | "criterion">): string =>
  id ?? `${graderId} ${criterion}`;

/** Returns the grades in the order in which people look at them: failed ones first, and those that count before the others. */
export const inReadingOrder = <Of extends Pick<Grade, "verdict" | "counts">>(grades: readonly Of[]): Of[] =>
  grades.toSorted((a, b) => Number(b.counts) - Number(a.counts) || ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));

/** Returns the numbers of the grades that quote a turn, and the marks of their quotes. */
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
