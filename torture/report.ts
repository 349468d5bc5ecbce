import { readFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type as osType } from "node:os";
import type { ScenarioResult } from "./scenario.ts";

export type Report = {
  seed: number;
  minutes: number;
  command: string;
  startedAt: string;
  versions: Record<string, string>;
  host: Record<string, string>;
  /** The folder with logs and evidence; null when there was no violation. */
  evidence: string | null;
  violations: number;
  scenarios: ScenarioResult[];
};

/** Returns the largest failure rate that is still possible, with 95 % confidence, after `n` trials without a failure: 3/n. */
const ruleOfThree = (n: number): number => (n === 0 ? 1 : Math.min(1, 3 / n));

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string }).version;

export const versions = (): Record<string, string> => ({
  svc: (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version,
  node: process.versions.node,
  "better-sqlite3": versionOf("better-sqlite3"),
  duckdb: versionOf("@duckdb/node-api"),
});

/** Returns facts about the machine, but not its name. */
export const host = (): Record<string, string> => ({
  system: `${osType()} ${release()} ${arch()}`,
  processors: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
});

const listOf = (members: Record<string, unknown>): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");

export function reportText(report: Report): string {
  const lines = [
    `Torture, seed ${report.seed}, ${report.minutes} minutes, started ${report.startedAt}`,
    `  versions  ${listOf(report.versions)}`,
    `  host      ${listOf(report.host)}`,
    "",
  ];
  for (const result of report.scenarios) lines.push(...scenarioLines(result), "");
  const named = [
    ...new Set(report.scenarios.filter(({ violations }) => violations.length > 0).map(({ name }) => name)),
  ];
  lines.push(
    report.violations === 0 ? "No violation." : `${report.violations} violations in ${named.join(", ")}.`,
    ...(report.evidence === null ? [] : [`Evidence: ${report.evidence}`]),
    `Again:    ${report.command}`,
  );
  return lines.join("\n");
}

function scenarioLines(result: ScenarioResult): string[] {
  const { name, shows, trials, trialCount, violations, counts, figures, notes, seconds } = result;
  const bound = `${Number((ruleOfThree(trialCount) * 100).toPrecision(2))} %`;
  const outcome =
    violations.length === 0
      ? `0 violations in ${trialCount} ${trials}; with 95 % confidence at most ${bound} (3/n)`
      : `${violations.length} violations in ${trialCount} ${trials}`;
  return [
    `${violations.length === 0 ? "ok  " : "FAIL"} ${name}: ${shows} (${seconds} s)`,
    `     ${outcome}`,
    ...(Object.keys(counts).length === 0 ? [] : [`     ${listOf(counts)}`]),
    ...Object.entries(figures).map(([figure, value]) => `     ${figure}: ${value}`),
    ...notes.map((note) => `     note: ${note}`),
    ...violations.map(({ what, evidence }) => `     - ${what}\n       ${evidence}`),
  ];
}
