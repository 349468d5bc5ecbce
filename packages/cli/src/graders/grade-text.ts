import type { Grade } from "@svc/contract";
import { hang, paint } from "../terminal/output.ts";
import { readingLines } from "../authoring/reading-text.ts";
import { evidenceLines, painted, verdictWords } from "../runs/verdicts.ts";
import { ago } from "../terminal/times.ts";

const INDENT = 14;

export function gradeText(grade: Grade): string {
  const verdict = painted(grade.verdict, verdictWords(grade.verdict).padEnd(INDENT - 2));
  const grader = grade.graderName === grade.criterion ? "" : paint.dim(` (${grade.graderName})`);
  const labels = grade.labels.map(
    ({ verdict: label, userName, labeledAt, note }) =>
      `${userName} says ${label}, ${ago(labeledAt)}${note === null ? "" : `: ${note}`}`,
  );
  return [
    `${verdict}  ${hang(grade.criterion, INDENT)}${grader}`,
    ...[...readingLines(grade), grade.reason, ...evidenceLines(grade), ...labels, grade.id ?? ""]
      .filter((line) => line !== "")
      .map((line) => `${" ".repeat(INDENT)}${paint.dim(hang(line, INDENT))}`),
  ].join("\n");
}
