import type { Run } from "@svc/contract";
import { usageText } from "../judge-text.ts";
import { counted, facts, hang, paint, table } from "../output.ts";
import { ago, duration } from "../times.ts";
import { type RunResult, type TitledSimulation, titledSimulations } from "./result.ts";
import { countsText, evidenceLines, notPassed, painted, passRateText, verdictWords } from "./verdicts.ts";

const DETAILS_SHOWN = 20;

/** Returns a run as text: its facts, a line for each simulation, and the grades that did not pass with their evidence. */
export function resultText(result: RunResult): string {
  const rows = titledSimulations(result);
  const list = table(
    rows,
    [
      { title: "verdict", cell: ({ simulation }) => verdictWords(simulation.verdict) },
      {
        title: "graded",
        cell: ({ simulation: { behaviorsGraded: n, behaviorCount: of } }) => `${n} of ${of}`,
        spare: 4,
      },
      { title: "turns", cell: ({ simulation }) => String(simulation.turnCount), right: true, spare: 3 },
      { title: "took", cell: ({ simulation }) => duration(simulation.durationMs), right: true, spare: 2 },
      { title: "ending", cell: ({ simulation }) => simulation.endingReason ?? simulation.status, spare: 1 },
      { title: "simulation", cell: ({ simulation }) => simulation.id },
      { title: "test", cell: ({ title }) => title },
    ],
    "The run has no simulations.",
  );
  return [runText(result.run), list, ...detailsOf(rows)].join("\n\n");
}

function runText(run: Run): string {
  const state = run.gradingSettled ? run.status : `${run.status}, ${counted(run.pendingVerdicts, "verdict")} pending`;
  return facts([
    ["Run", run.name === null ? run.id : `${paint.bold(run.name)}  ${run.id}`],
    ["Status", run.stopReason === null ? state : `${state} (${STOP_REASONS[run.stopReason]})`],
    ["Result", countsText(run)],
    ["Pass rate", passRateText(run)],
    ["Judge used", judgeUsageText(run)],
    ["Agent", `${run.agentId} over ${run.connectionType}, caller ${run.caller}`],
    ["Started", ago(run.createdAt)],
  ]);
}

function judgeUsageText(run: Run): string | undefined {
  if (run.judgeRequests === 0) return undefined;
  const usage = usageText({
    inputTokens: run.judgeInputTokens,
    cachedInputTokens: run.judgeCachedInputTokens,
    outputTokens: run.judgeOutputTokens,
    cost: run.judgeCost,
  });
  return run.maxCost === null ? usage : `${usage}, limit ${run.maxCost}`;
}

const STOP_REASONS = {
  canceled_by_user: "canceled by a person",
  agent_unreachable: "three simulations in a row got no answer from the agent",
} as const;

function detailsOf(rows: TitledSimulation[]): string[] {
  const notPassedRows = rows.filter(({ simulation }) => simulation.verdict !== "passed");
  const more = notPassedRows.length - DETAILS_SHOWN;
  return [
    ...notPassedRows.slice(0, DETAILS_SHOWN).map(detailOf),
    ...(more > 0
      ? [`And ${counted(more, "more simulation")} that did not pass. See each with \`svc simulations show\`.`]
      : []),
  ];
}

function detailOf({ title, simulation }: TitledSimulation): string {
  const { verdict, grades = [], message, id } = simulation;
  const lines = notPassed(grades).flatMap((grade) => [
    `  ${painted(grade.verdict, verdictWords(grade.verdict))}: ${hang(grade.criterion, 4)}`,
    `    ${hang(grade.reason, 4)}`,
    ...evidenceLines(grade).map((line) => `    ${paint.dim(hang(line, 4))}`),
  ]);
  return [
    `${painted(verdict, verdictWords(verdict))}  ${paint.bold(title)}  ${paint.dim(id)}`,
    ...(message === null ? [] : [`  ${hang(message, 2)}`]),
    ...lines,
  ].join("\n");
}
