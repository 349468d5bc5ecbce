import type { GradeSummary, Run, Verdict } from "@svc/contract";
import { oneLine, paint } from "../terminal/output.ts";
import { EVERY_ITERATION, type Requirement } from "@svc/contract/constants";
import { OUTCOME_WORDS, outcomeOfTest } from "./requirement.ts";
import type { TestResult } from "./test-results.ts";

const WORDS: Record<Verdict, string> = {
  passed: "passed",
  failed: "failed",
  inconclusive: "inconclusive",
  errored: "errored",
  not_graded: "not graded",
};

/** The verdict of a canceled or unfinished simulation is null. */
export const verdictWords = (verdict: Verdict | null): string => (verdict === null ? "no verdict" : WORDS[verdict]);

const PAINTED: Partial<Record<Verdict, (text: string) => string>> = {
  passed: (text) => paint.green(text),
  failed: (text) => paint.red(text),
  errored: (text) => paint.magenta(text),
};

export const painted = (verdict: Verdict | null, text: string): string =>
  (verdict === null ? undefined : PAINTED[verdict])?.(text) ?? paint.yellow(text);

export function resultWords(test: TestResult, requirement: Requirement): string {
  const { passed, simulations } = test;
  const isRequired = requirement !== EVERY_ITERATION;
  if (simulations.length === 1 && !isRequired) return verdictWords(simulations[0]!.verdict);
  const share = `${passed} of ${simulations.length}`;
  return isRequired
    ? `${share} (${requirement.text} required: ${OUTCOME_WORDS[outcomeOfTest(test, requirement)]})`
    : share;
}

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
  const words = parts.length > 0 ? parts.join(", ") : "no verdict yet";
  return run.allowUngraded ? `${words} (ungraded allowed)` : words;
}

/** Omits the interval when there are too few tests. */
export function passRateText({ passRate, passRateLow, passRateHigh }: Run): string | undefined {
  if (passRate === null) return undefined;
  const percent = (share: number) => Math.round(share * 100);
  if (passRateLow === null || passRateHigh === null) return `${percent(passRate)} %`;
  return `${percent(passRate)} % (95 % bootstrap over tests: ${percent(passRateLow)} to ${percent(passRateHigh)} %)`;
}

export const notPassed = (grades: readonly GradeSummary[]): GradeSummary[] =>
  grades
    .filter(({ counts, verdict }) => counts && verdict !== "passed")
    .sort((a, b) => Number(b.verdict === "failed") - Number(a.verdict === "failed"));

const QUOTES_SHOWN = 3;

/** Turns and tool calls are numbered from 0. */
export function evidenceLines({ evidence }: Pick<GradeSummary, "evidence">): string[] {
  const lines = evidence.slice(0, QUOTES_SHOWN).map(({ turn, quote, speaker, toolCall }) => {
    if (toolCall !== null) return `tool call ${toolCall}`;
    const place = speaker === undefined ? `turn ${turn}` : `turn ${turn}, ${speaker}`;
    return quote === null ? place : `${place}: "${oneLine(quote)}"`;
  });
  const more = evidence.length - QUOTES_SHOWN;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
