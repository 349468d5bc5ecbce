import type { GradeSummary, Run, Verdict } from "@svc/contract";
import { oneLine, paint } from "../output.ts";
import { VERDICT_EXIT } from "../refusal.ts";

const WORDS: Record<Verdict, string> = {
  passed: "passed",
  failed: "failed",
  inconclusive: "inconclusive",
  errored: "errored",
  not_graded: "not graded",
};

/** Returns a verdict's words; a canceled or unfinished simulation has no verdict. */
export const verdictWords = (verdict: Verdict | null): string => (verdict === null ? "no verdict" : WORDS[verdict]);

const PAINTED: Partial<Record<Verdict, (text: string) => string>> = {
  passed: (text) => paint.green(text),
  failed: (text) => paint.red(text),
  errored: (text) => paint.magenta(text),
};

/** Returns the text in the color of the verdict. */
export const painted = (verdict: Verdict | null, text: string): string =>
  (verdict === null ? undefined : PAINTED[verdict])?.(text) ?? paint.yellow(text);

/** Returns 0 when every simulation passed, 1 when one failed, and 2 when none failed and one has another verdict or none. */
export function exitCodeOf({ status, simulationCount, passedVerdicts, failedVerdicts }: Run): number {
  if (failedVerdicts > 0) return VERDICT_EXIT.failed;
  const all = status === "completed" && simulationCount > 0 && passedVerdicts === simulationCount;
  return all ? VERDICT_EXIT.passed : VERDICT_EXIT.undecided;
}

/** `4 passed, 1 failed, 1 not graded`, without zeros. */
export function countsText(run: Run): string {
  const counts: [number, string][] = [
    [run.passedVerdicts, "passed"],
    [run.failedVerdicts, "failed"],
    [run.inconclusiveVerdicts, "inconclusive"],
    [run.erroredVerdicts, "errored"],
    [run.notGradedVerdicts, "not graded"],
    [run.canceledCount, "canceled"],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return parts.length > 0 ? parts.join(", ") : "no verdict yet";
}

/** `100 % (95 % interval 57 to 100 %)`; undefined before the first simulation passes or fails. */
export function passRateText({ passRate, passRateLow, passRateHigh }: Run): string | undefined {
  if (passRate === null || passRateLow === null || passRateHigh === null) return undefined;
  const percent = (share: number) => Math.round(share * 100);
  return `${percent(passRate)} % (95 % interval ${percent(passRateLow)} to ${percent(passRateHigh)} %)`;
}

/** Returns the grades that count and did not pass, failures first. */
export const notPassed = (grades: readonly GradeSummary[]): GradeSummary[] =>
  grades
    .filter(({ counts, verdict }) => counts && verdict !== "passed")
    .sort((a, b) => Number(b.verdict === "failed") - Number(a.verdict === "failed"));

const QUOTES_SHOWN = 3;

/** Returns the evidence of a grade, one on each line: `turn 4: "Three nights, then."`. Turns and tool calls are numbered from 0. */
export function evidenceLines({ evidence }: Pick<GradeSummary, "evidence">): string[] {
  const lines = evidence.slice(0, QUOTES_SHOWN).map(({ turn, quote, speaker, toolCall }) => {
    if (toolCall !== null) return `tool call ${toolCall}`;
    const place = speaker === undefined ? `turn ${turn}` : `turn ${turn}, ${speaker}`;
    return quote === null ? place : `${place}: "${oneLine(quote)}"`;
  });
  const more = evidence.length - QUOTES_SHOWN;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
