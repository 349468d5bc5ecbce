/**
 * Measures the comparison of runs on simulated pairs of runs: `npm run bench -- compare [SEED] [PAIRS]`. Prints for each pair of
 * agents how often the answer says that something changed. It draws only verdicts and latencies, and plays no conversation.
 */
import type { Verdict } from "@svc/contract";
import { Command } from "commander";
import {
  type Comparison,
  compareRuns,
  type SimulationResult,
} from "../packages/server/src/grading/statistics/compare.ts";
import { conditionsSentence } from "../packages/server/src/grading/statistics/compare-words.ts";
import { seeded } from "../packages/server/src/base/seeded.ts";
import { addConditions, conditionsOf, differencesOf } from "../packages/server/src/runs/after/run-differences.ts";
import type { RunRow, SimulationSummaryRow } from "../packages/server/src/runs/rules.ts";

const [SEED, PAIRS] = new Command("compare")
  .description("Measures the comparison of runs on simulated pairs of runs.")
  .argument("[seed]", "seed of everything random", "compare-1")
  .argument("[pairs]", "pairs per cell", Number, 400)
  .parse().processedArgs as [string, number];
const TESTS = 10;
const ITERATIONS = 5;

/** The pass rate of each test, and the verdict of a simulation that does not pass. */
type Agent = { rates: readonly number[]; otherwise: Verdict; slower?: number; judgedStricter?: number };

const even = (rate: number): number[] => Array.from({ length: TESTS }, () => rate);
const MIXED = [1, 1, 1, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3];
const withFirst = (rate: number, others: readonly number[]) => [rate, ...others.slice(1)];
const failing = (rates: readonly number[]): Agent => ({ rates, otherwise: "failed" });

/** Draws one run. Latencies are log-normal around 800 ms. */
function draw({ rates, otherwise, slower = 1, judgedStricter = 0 }: Agent, next: () => number): SimulationResult[] {
  return rates.flatMap((rate, test) =>
    Array.from({ length: ITERATIONS }, (_, iteration) => {
      const passes = next() < rate && !(next() < judgedStricter);
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return {
        testId: `tst_${test}`,
        testVersionId: `tstv_${test}`,
        testName: `test ${test}`,
        persona: "calm",
        iteration,
        verdict: passes ? "passed" : otherwise,
        latencyMs: 800 * slower * Math.exp(0.25 * normal),
      };
    }),
  );
}

/** Returns the conditions of a run in which one judge decided all grades. */
function conditions(model: string) {
  const run = {
    agent_id: "agt_1",
    connection_id: "con_1",
    connection: JSON.stringify({ connectionType: "http_chat", accessVariant: "http_chat.public", config: {} }),
    mock_tools: "[]",
    graders: "[]",
    caller: "scripted",
  } as RunRow;
  const known = conditionsOf(run);
  addConditions(
    known,
    { persona_id: "p", persona_name: "Calm", test_id: "t", test_name: "T" } as SimulationSummaryRow,
    [
      {
        graderId: "grd_1",
        graderVersionId: "grdv_1",
        graderName: "Expected behaviors",
        counts: true,
        decidedBy: "judge",
        judge: { model, promptVersion: "1", dialect: "full" },
        votes: [],
      },
    ],
  );
  return known;
}

type Cell = { name: string; first: Agent; second: Agent; judges?: readonly [string, string]; broken?: true };

const CELLS: Cell[] = [
  ...[0.5, 0.7, 0.9, 1].map((rate) => ({
    name: `equal, every test at ${rate * 100} %`,
    first: failing(even(rate)),
    second: failing(even(rate)),
  })),
  { name: "equal, tests from 30 to 100 %", first: failing(MIXED), second: failing(MIXED) },
  {
    name: "equal, 70 % passed, others inconclusive",
    first: { rates: even(0.7), otherwise: "inconclusive" },
    second: { rates: even(0.7), otherwise: "inconclusive" },
  },
  ...[1, 0.9, 0.7, 0.5].map((rate) => ({
    name: `1 of 10 tests 100 → 0 %, others ${rate * 100} %`,
    first: failing(withFirst(1, even(rate))),
    second: failing(withFirst(0, even(rate))),
    broken: true as const,
  })),
  { name: "10 of 10 tests 100 → 0 %", first: failing(even(1)), second: failing(even(0)), broken: true },
  { name: "all tests 70 → 40 %, failed", first: failing(even(0.7)), second: failing(even(0.4)) },
  {
    name: "all tests 70 → 40 %, failures turn inconclusive",
    first: failing(even(0.7)),
    second: { rates: even(0.4), otherwise: "inconclusive" },
  },
  {
    name: "equal, 30 % slower",
    first: failing(even(0.9)),
    second: { ...failing(even(0.9)), slower: 1.3 },
  },
  {
    name: "equal agent, judge that fails 40 % more",
    first: failing(even(0.9)),
    second: { ...failing(even(0.9)), judgedStricter: 0.4 },
    judges: ["judge-a", "judge-b"],
  },
];

const share = (found: readonly Comparison[], of: (comparison: Comparison) => boolean) =>
  `${((100 * found.filter(of).length) / found.length).toFixed(1)} %`;

const rows = CELLS.map(({ name, first, second, judges: [before, after] = ["judge-a", "judge-a"], broken }) => {
  const next = seeded(`${SEED} ${name}`);
  const found = Array.from({ length: PAIRS }, () => compareRuns(draw(first, next), draw(second, next)));
  const differences = differencesOf(conditions(before), conditions(after));
  const changed = ({ passingDiffers, latencyDiffers }: Comparison) => passingDiffers || latencyDiffers;
  const isClaimed = ({ passingDiffers }: Comparison) =>
    /the agent may have changed/.test(conditionsSentence(differences, passingDiffers));
  return [
    name,
    share(found, changed),
    share(found, ({ passingDiffers }) => passingDiffers),
    share(found, ({ latencyDiffers }) => latencyDiffers),
    broken ? share(found, ({ tests }) => tests[0]!.change === "broken") : "",
    share(found, ({ tests }) => tests.some(({ change }, test) => change !== "none" && !(broken && test === 0))),
    share(found, isClaimed),
  ];
});

const TITLES = ["two runs", "changed", "passing", "latency", "first test named", "others named", "agent claimed"];
console.log(`${PAIRS} pairs per cell, ${TESTS} tests × ${ITERATIONS} iterations, seed ${SEED}`);
const widths = TITLES.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
const line = (cells: readonly string[]) =>
  `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(" | ")} |`;
console.log(line(TITLES));
console.log(
  `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`,
);
for (const row of rows) console.log(line(row));
