import type { RunComparison } from "@svc/contract";
import { counted, hang, paint, table } from "../terminal/output.ts";
import { percentWords } from "./pass-rate-text.ts";

type ComparedTest = RunComparison["tests"][number];
type ComparedRun = RunComparison["first"];

export function comparisonText(comparison: RunComparison): string {
  const { words, differences, tests, regressed, mended } = comparison;
  const sentences = words.map((line, at) =>
    at === 0 && differences.length > 0 ? paint.yellow(hang(line, 0)) : hang(line, 0),
  );
  const parts = [sentences.join("\n"), ratesText(comparison)];
  const marked = tests.filter(({ change, flaky }) => change !== "none" || flaky);
  if (marked.length > 0) parts.push(testsText(marked));
  parts.push(flipsText(regressed, mended));
  return parts.join("\n\n");
}

function ratesText({ first, second }: RunComparison): string {
  return table(
    [
      { ...first, run: "first" },
      { ...second, run: "second" },
    ],
    [
      { title: "run", cell: ({ run }) => run },
      { title: "passed", cell: ({ passed, played }) => `${passed} of ${played}`, right: true },
      { title: "pass rate", cell: rateWords, right: true },
      { title: "undecided", cell: ({ undecided }) => String(undecided), right: true },
      { title: "errors", cell: ({ errored }) => String(errored), right: true },
      { title: "pass^k", cell: ({ passHatK }) => lastPower(passHatK) },
    ],
    "",
  );
}

/** The text states the number of tests, because the bootstrap interval comes from resampling tests. */
function rateWords({ passRate, passRateLow, passRateHigh, testCount }: ComparedRun): string {
  if (passRateLow === null || passRateHigh === null) return percentWords(passRate);
  return `${percentWords(passRate)} (${percentWords(passRateLow)} to ${percentWords(passRateHigh)}, 95% bootstrap over ${counted(testCount, "test")})`;
}

const lastPower = (powers: readonly number[]): string =>
  powers.length === 0 ? "?" : `pass^${powers.length} ${percentWords(powers.at(-1)!)}`;

function testsText(tests: readonly ComparedTest[]): string {
  return table(
    tests,
    [
      { title: "test is", cell: changeWords },
      { title: "first", cell: ({ first }) => `${first.passed} of ${first.played}`, right: true },
      { title: "second", cell: ({ second }) => `${second.passed} of ${second.played}`, right: true },
      { title: "p", cell: ({ p }) => p.toPrecision(2), right: true },
      { title: "test", cell: ({ testName }) => testName },
    ],
    "",
  );
}

function changeWords({ change, recentRuns }: ComparedTest): string {
  if (change === "broken") return paint.red("broken");
  if (change === "mended") return paint.green("mended");
  return `flaky in ${counted(recentRuns, "run")}`;
}

function flipsText(regressed: RunComparison["regressed"], mended: RunComparison["mended"]): string {
  return table(
    [...regressed, ...mended],
    [
      { title: "change", cell: ({ firstVerdict, secondVerdict }) => `${firstVerdict} → ${secondVerdict}` },
      { title: "first", cell: ({ firstSimulationId }) => firstSimulationId, spare: 1 },
      { title: "second", cell: ({ secondSimulationId }) => secondSimulationId },
      { title: "test", cell: ({ testName, personaName, iteration }) => `${testName} · ${personaName} · #${iteration}` },
    ],
    paint.dim("No simulation passed in one run and not in the other."),
  );
}
