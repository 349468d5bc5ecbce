import type { Run } from "@svc/contract";
import { counted, facts, hang, paint, table } from "../output.ts";
import { ago, duration } from "../times.ts";
import { type RunResult, type Titled, titled } from "./result.ts";
import { countsText, evidenceLines, notPassed, painted, passRateText, verdictWords } from "./verdicts.ts";

const DETAILS_SHOWN = 20;

/** A run's facts, a line for each simulation, and under them what did not pass and why. */
export function resultText(result: RunResult): string {
  const rows = titled(result);
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

/** What a run is, and how it came out. */
function runText(run: Run): string {
  const state = run.gradingSettled
    ? run.status
    : `${run.status}, ${counted(run.pendingVerdicts, "verdict")} outstanding`;
  return facts([
    ["Run", run.name === null ? run.id : `${paint.bold(run.name)}  ${run.id}`],
    ["Status", run.stopReason === null ? state : `${state} (${STOPPED[run.stopReason]})`],
    ["Result", countsText(run)],
    ["Pass rate", passRateText(run)],
    ["Agent", `${run.agentId} over ${run.connectionType}, caller ${run.caller}`],
    ["Started", ago(run.createdAt)],
  ]);
}

const STOPPED = {
  canceled_by_user: "canceled by a person",
  agent_unreachable: "three simulations in a row never got an answer",
} as const;

function detailsOf(rows: Titled[]): string[] {
  const wanted = rows.filter(({ simulation }) => simulation.verdict !== "passed");
  const more = wanted.length - DETAILS_SHOWN;
  return [
    ...wanted.slice(0, DETAILS_SHOWN).map(detailOf),
    ...(more > 0
      ? [`And ${counted(more, "more simulation")} that did not pass: see each with \`svc simulations show\`.`]
      : []),
  ];
}

function detailOf({ title, simulation }: Titled): string {
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
