import type { PlayedRun } from "./play-run.ts";

type Simulation = PlayedRun["simulations"][number];
type Grade = NonNullable<Simulation["grades"]>[number];

const QUOTES_SHOWN = 3;

/**
 * Returns a text for people that says why a run did not pass. It lists each simulation that did not pass, with its failed or undecided
 * criteria, their reasons and the quoted turns. Returns an empty text for a run that passed.
 */
export function failureText({ passed, run, simulations }: PlayedRun): string {
  if (passed) return "";
  const others = simulations.filter(({ verdict }) => verdict !== "passed");
  const count = `${others.length} of ${simulations.length} simulations did not pass`;
  const ended = run.status === "completed" ? "" : `, and the run is ${run.status}`;
  return [`The run ${run.id} did not pass: ${count}${ended}.`, ...others.map(simulationText)].join("\n\n");
}

/** Throws an error with the text of `failureText` when the run did not pass. Works with every test runner. */
export function assertPassed(result: PlayedRun): void {
  if (!result.passed) throw new Error(failureText(result));
}

function simulationText(simulation: Simulation): string {
  const { id, testName, personaName, iteration, verdict, message, endingReason, grades = [] } = simulation;
  const lines = [`${testName} · ${personaName} · #${iteration} (${id}): ${wordsOf(verdict)}`];
  if (message !== null) lines.push(`  ${message}`);
  const causes = grades
    .filter((grade) => grade.counts && grade.verdict !== "passed")
    .sort((a, b) => Number(b.verdict === "failed") - Number(a.verdict === "failed"));
  if (message === null && causes.length === 0) lines.push(`  It ended with ${endingReason ?? "no verdict"}.`);
  return [...lines, ...causes.flatMap(gradeLines)].join("\n");
}

const wordsOf = (verdict: Simulation["verdict"]): string => verdict?.replaceAll("_", " ") ?? "no verdict";

function gradeLines({ verdict, criterion, reason, evidence }: Grade): string[] {
  const quotes = evidence.slice(0, QUOTES_SHOWN).map(({ turn, quote, speaker, toolCall }) => {
    if (toolCall !== null) return `    tool call ${toolCall}`;
    const place = speaker === undefined ? `turn ${turn}` : `turn ${turn}, ${speaker}`;
    return quote === null ? `    ${place}` : `    ${place}: "${quote.replaceAll(/\s+/g, " ").trim()}"`;
  });
  const more = evidence.length - QUOTES_SHOWN;
  if (more > 0) quotes.push(`    and ${more} more`);
  return [`  ${wordsOf(verdict)}: ${criterion}`, `    ${reason}`, ...quotes];
}
