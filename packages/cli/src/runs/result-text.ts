import type { Run } from "@svc/contract";
import { usageText } from "../graders/judge-text.ts";
import { type Column, counted, facts, hang, hangAfter, paint, table } from "../terminal/output.ts";
import { ago, duration } from "../terminal/times.ts";
import { stateText } from "./state-text.ts";
import { findingsOf, findingWords } from "./findings.ts";
import { noticesOfRun } from "./notices.ts";
import { EVERY_ITERATION, type Requirement } from "@svc/contract/constants";
import { OUTCOME_WORDS, outcomeOfTest } from "./requirement.ts";
import type { RunResult } from "./result.ts";
import { eachSimulation, passPowers, type TestResult, testResults } from "./test-results.ts";
import { countsText, painted, passRateText, resultWords, verdictWords } from "./verdicts.ts";

const DETAILS_SHOWN = 20;

type TextOptions = {
  requirement?: Requirement;
  /** Whether each iteration has its own row. */
  each?: boolean;
};

export function resultText(
  result: RunResult,
  { requirement = EVERY_ITERATION, each = false }: TextOptions = {},
): string {
  const tests = testResults(result);
  const isGrouped =
    !each && (requirement !== EVERY_ITERATION || tests.some(({ simulations }) => simulations.length > 1));
  const shown = isGrouped ? tests : eachSimulation(result);
  const columns = isGrouped ? testColumns(requirement) : SIMULATION_COLUMNS;
  return [
    runText(result, tests),
    ...noticesOfRun(result).map((notice) => paint.yellow(hang(notice, 0))),
    table(shown, columns, "The run has no simulations."),
    ...detailsOf(shown, requirement),
  ].join("\n\n");
}

const graded = ({ simulations }: TestResult): string => {
  const sum = (of: "behaviorsGraded" | "behaviorCount") => simulations.reduce((total, one) => total + one[of], 0);
  return `${sum("behaviorsGraded")} of ${sum("behaviorCount")}`;
};
const GRADED: Column<TestResult> = { title: "graded", cell: graded, spare: 4 };
const TEST: Column<TestResult> = { title: "test", cell: ({ title }) => title };

const SIMULATION_COLUMNS: Column<TestResult>[] = [
  { ...TEST, cut: true },
  { title: "verdict", cell: ({ simulations: [one] }) => verdictWords(one!.verdict) },
  GRADED,
  { title: "turns", cell: ({ simulations: [one] }) => String(one!.turnCount), right: true, spare: 3 },
  { title: "took", cell: ({ simulations: [one] }) => duration(one!.durationMs), right: true, spare: 2 },
  { title: "ending", cell: ({ simulations: [one] }) => one!.endingReason ?? stateText(one!), spare: 1 },
  { title: "simulation", cell: ({ simulations: [one] }) => one!.id, whole: true },
];

const testColumns = (requirement: Requirement): Column<TestResult>[] => [
  { ...TEST, cut: true },
  ...(requirement === EVERY_ITERATION
    ? []
    : [
        {
          title: `${requirement.text} required`,
          cell: (test: TestResult) => OUTCOME_WORDS[outcomeOfTest(test, requirement)],
        },
      ]),
  { title: "passed", cell: ({ passed, simulations }) => `${passed} of ${simulations.length}`, right: true },
  { title: "failed", cell: ({ failed }) => String(failed), right: true, spare: 1 },
  {
    title: "undecided",
    cell: ({ undecided, unfinished }) => String(undecided + unfinished),
    right: true,
    spare: 2,
  },
  { title: "errored", cell: ({ errored }) => String(errored), right: true, spare: 3 },
  GRADED,
];

function runText({ run, page }: RunResult, tests: readonly TestResult[]): string {
  const state = run.gradingSettled ? run.status : `${run.status}, ${counted(run.pendingVerdicts, "verdict")} pending`;
  const powers = passPowers(tests).map(({ k, share }) => `pass^${k} ${Math.round(share * 100)} %`);
  return facts([
    ["Run", run.name === null ? run.id : `${paint.bold(run.name)}  ${run.id}`],
    ["Status", run.stopReason === null ? state : `${state} (${STOP_REASONS[run.stopReason]})`],
    ["Result", countsText(run)],
    ["Pass rate", passRateText(run)],
    ["Pass^k", powers.length > 0 ? `${powers.join(", ")}: the chance that k iterations of a test all pass` : undefined],
    ["Behaviors", run.behaviorCount > 0 ? `${run.decidedBehaviors} of ${run.behaviorCount} decided` : undefined],
    ["Judge used", judgeUsageText(run)],
    ["Ungraded", run.allowUngraded ? "allowed: a simulation passes on the behaviors that were decided" : undefined],
    ["Agent", `${run.agentName} over ${run.connectionType}, caller ${run.caller}`],
    ["Started", `${ago(run.createdAt)}${starterText(run)}`],
    ["Page", page ?? undefined],
  ]);
}

function starterText({ startedBy }: Run): string {
  if (startedBy === null) return "";
  if (startedBy.kind === "key") return startedBy.name === null ? " with a key" : ` with the key ${startedBy.name}`;
  return ` by ${startedBy.name ?? "a person whose account is deleted"}`;
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

function detailsOf(tests: TestResult[], requirement: Requirement): string[] {
  const notPassed = tests.filter(({ passed, simulations }) => passed < simulations.length);
  const more = notPassed.length - DETAILS_SHOWN;
  return [
    ...notPassed.slice(0, DETAILS_SHOWN).map((test) => detailOf(test, requirement)),
    ...(more > 0
      ? [`And ${counted(more, "more test")} that did not pass. See each simulation with \`svc simulations show\`.`]
      : []),
  ];
}

function detailOf(test: TestResult, requirement: Requirement): string {
  const { title, simulations } = test;
  const count = simulations.length;
  const [first] = simulations;
  const findings = findingsOf(simulations).flatMap((finding) => [
    hangAfter(`  ${painted(finding.verdict, findingWords(finding, count))}: `, finding.text, 4),
    ...finding.details.map((line, index) => `    ${index === 0 ? hang(line, 4) : paint.dim(hang(line, 4))}`),
    ...(count > 1 ? [`    ${paint.dim(hang(idsText(finding.simulationIds), 4))}`] : []),
  ]);
  const verdict = test.failed > 0 ? "failed" : first!.verdict;
  const id = count === 1 ? `  ${paint.dim(first!.id)}` : "";
  const head = count === 1 ? verdictWords(verdict) : resultWords(test, requirement);
  return [`${painted(verdict, head)}  ${paint.bold(title)}${id}`, ...findings].join("\n");
}

const IDS_SHOWN = 3;

const idsText = (ids: readonly string[]): string =>
  [...ids.slice(0, IDS_SHOWN), ...(ids.length > IDS_SHOWN ? [`and ${ids.length - IDS_SHOWN} more`] : [])].join(" ");
