import type { ListedSimulation, Verdict } from "@svc/contract";
import { type RunResult, runName, titledSimulations } from "./result.ts";
import { evidenceLines, notPassed, verdictWords } from "./verdicts.ts";

const MESSAGE_CHARACTERS_MAX = 500;

type Outcome = "failure" | "error" | "skipped";

/** An error of the service is not a failure of the agent; a simulation without a decision is skipped, with the reason. */
const OUTCOMES: Record<Verdict, Outcome | undefined> = {
  passed: undefined,
  failed: "failure",
  errored: "error",
  inconclusive: "skipped",
  not_graded: "skipped",
};

const outcomeOf = ({ verdict }: ListedSimulation): Outcome | undefined =>
  verdict === null ? "skipped" : OUTCOMES[verdict];

/** Returns a run as a JUnit report: one test suite with a test case for each simulation. */
export function junitOf(result: RunResult): string {
  const { run, simulations } = result;
  const count = (outcome: Outcome) => simulations.filter((one) => outcomeOf(one) === outcome).length;
  const endMs = run.endedAt === null ? undefined : Date.parse(run.endedAt);
  const counts = attributes({
    tests: simulations.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: seconds(endMs === undefined ? null : endMs - Date.parse(run.createdAt)),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite ${attributes({ name: runName(run), timestamp: run.createdAt })} ${counts}>`,
    "    <properties>",
    `      <property ${attributes({ name: "run", value: run.id })}/>`,
    `      <property ${attributes({ name: "agent", value: run.agentId })}/>`,
    "    </properties>",
    ...titledSimulations(result).map(({ title, simulation }) => caseOf(title, simulation)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf(title: string, simulation: ListedSimulation): string {
  const properties = { classname: simulation.testName, name: title, time: seconds(simulation.durationMs) };
  const outcome = outcomeOf(simulation);
  if (outcome === undefined) return `    <testcase ${attributes(properties)}/>`;
  const { summary, details } = whyNotPassed(simulation);
  const message = attributes({ message: summary, ...(outcome !== "skipped" && { type: simulation.verdict! }) });
  return [
    `    <testcase ${attributes(properties)}>`,
    `      <${outcome} ${message}>${escaped(details)}</${outcome}>`,
    "    </testcase>",
  ].join("\n");
}

/** Says why a simulation did not pass, on one line and with all evidence. */
export function whyNotPassed(simulation: ListedSimulation): { summary: string; details: string } {
  const { verdict, message, id } = simulation;
  const grades = notPassed(simulation.grades ?? []);
  const deciding = grades.filter((grade) => grade.verdict === verdict);
  const first = deciding[0] ?? grades[0];
  const why = first === undefined ? (message ?? endingOf(simulation)) : `${first.criterion}: ${first.reason}`;
  const details = grades.flatMap((grade) => [
    `${verdictWords(grade.verdict)}: ${grade.criterion}`,
    `  ${grade.reason}`,
    ...evidenceLines(grade).map((line) => `  ${line}`),
  ]);
  return {
    summary: `${verdictWords(verdict)}: ${why}`.slice(0, MESSAGE_CHARACTERS_MAX),
    details: [...(message === null ? [] : [message]), ...details, `svc simulations show ${id}`].join("\n"),
  };
}

const endingOf = ({ endingReason, status }: ListedSimulation) =>
  endingReason === null ? `the simulation is ${status}` : `it ended with ${endingReason}`;

const seconds = (ms: number | null): string => ((ms ?? 0) / 1000).toFixed(3);

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join(" ");

// XML cannot contain these characters, even escaped; UTF-8 cannot encode lone surrogates.
// oxlint-disable-next-line no-control-regex
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

const escaped = (text: string): string =>
  text.replaceAll(UNWRITABLE, "\ufffd").replaceAll(/[&<>"\r]/g, (mark) => ENTITIES[mark]!);
