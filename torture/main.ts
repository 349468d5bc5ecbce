// Attacks the service and reports its violations: `npm run torture -- --seed N --minutes M [--only NAME]`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { drawsOf } from "./random.ts";
import { host, type Report, reportText, versions } from "./report.ts";
import { openArena, type Scenario, type ScenarioResult } from "./scenario.ts";
import { bodies } from "./bodies.ts";
import { clocks } from "./clocks.ts";
import { disk } from "./disk.ts";
import { flips } from "./flips.ts";
import { imports } from "./imports.ts";
import { kills } from "./kills.ts";
import { operationBodies } from "./operation-bodies.ts";
import { readers } from "./readers.ts";
import { requests } from "./requests.ts";
import { retention } from "./retention.ts";
import { saturation } from "./saturation.ts";
import { secrets } from "./secrets.ts";
import { stalls } from "./stalls.ts";
import { tenants } from "./tenants.ts";
import { waits } from "./waits.ts";

const SCENARIOS: readonly Scenario[] = [
  kills,
  saturation,
  imports,
  stalls,
  flips,
  tenants,
  bodies,
  secrets,
  readers,
  disk,
  retention,
  clocks,
  requests,
  operationBodies,
  waits,
];
/** A run of this many minutes counts as the long form. */
const LONG_MINUTES = 30;

const numberOf = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError("Give a number that is not negative.");
  return value;
};

const program = new Command("torture")
  .description("Attacks the service and reports its violations. Exits with 1 when it finds one.")
  .option("--seed <number>", "seed of everything random", numberOf, Date.now() % 1_000_000)
  .option("--minutes <number>", "time for all scenarios together", numberOf, 3)
  .addOption(new Option("--only <names...>", "scenarios to run").choices(SCENARIOS.map(({ name }) => name)))
  .option("--json <file>", "write the report as JSON too")
  .option("--list", "list the scenarios and end")
  .addOption(
    new Option("--plant", "make each scenario violate its guarantee, to show that it finds the violation").hideHelp(),
  )
  .parse();
const { seed, minutes, only, json, list, plant } = program.opts<{
  seed: number;
  minutes: number;
  only?: string[];
  json?: string;
  list?: true;
  plant?: true;
}>();

if (list) {
  for (const { name, shows } of SCENARIOS) console.log(`${name.padEnd(10)} ${shows}`);
  process.exit(0);
}

const chosen = SCENARIOS.filter(({ name }) => only?.includes(name) ?? true);
const folder = mkdtempSync(join(tmpdir(), "svc-torture-"));
const endMs = performance.now() + minutes * 60_000;
const startedAt = new Date().toISOString();
const results: ScenarioResult[] = [];
for (const [at, scenario] of chosen.entries()) {
  const waiting = chosen.slice(at);
  const share = scenario.weight / waiting.reduce((sum, { weight }) => sum + weight, 0);
  console.log(`${scenario.name}: ${scenario.shows}`);
  results.push(await runScenario(scenario, Math.max(0, endMs - performance.now()) * share));
}

const violations = results.reduce((sum, result) => sum + result.violations.length, 0);
const report: Report = {
  seed,
  minutes,
  command: `npm run torture -- --seed ${seed} --minutes ${minutes}${only ? ` --only ${only.join(" ")}` : ""}`,
  startedAt,
  versions: versions(),
  host: host(),
  evidence: violations === 0 ? null : folder,
  violations,
  scenarios: results,
};
if (violations === 0) rmSync(folder, { recursive: true, force: true });
console.log(`\n${reportText(report)}`);
if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
process.exit(violations === 0 ? 0 : 1);

async function runScenario(scenario: Scenario, shareMs: number): Promise<ScenarioResult> {
  const arena = openArena(scenario, {
    folder: join(folder, scenario.name),
    draws: drawsOf(`${seed}/${scenario.name}`),
    untilMs: performance.now() + shareMs,
    isLong: minutes >= LONG_MINUTES,
    isPlanted: plant === true,
    say: (text) => console.log(text),
  });
  await scenario.run(arena).catch((error: Error) => {
    arena.violation(`the scenario broke off: ${error.message.split("\n")[0]}`, { error });
  });
  const result = await arena.close();
  // Nobody needs the folder of a scenario without a violation.
  if (result.violations.length === 0) rmSync(arena.folder, { recursive: true, force: true });
  return result;
}
