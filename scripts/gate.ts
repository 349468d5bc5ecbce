// `npm run gate` runs the batteries that must pass before a change is merged, and `npm run test:full` runs all of them. Both print
// one line for each battery, and then one plain line of counts.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { BATTERIES, type Battery, type Scope } from "./batteries.ts";

const COUNTS = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
/** With this text, bash prints the processor time of a command and all its processes. */
const TIMED = `TIMEFORMAT='processor seconds %U %S'; time "$@"`;
const PROCESSOR = /^processor seconds ([\d.]+) ([\d.]+)$/m;
const LAST_FULL = "test/last-full-battery.md";

/** Each function kills the processes of a running battery, which do not get the signals that this process gets. */
const groups = new Set<() => void>();
process.on("exit", () => {
  for (const kill of groups) kill();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

type Result = {
  battery: Battery;
  hasPassed: boolean;
  wallSeconds: number;
  processorSeconds: number;
  counts: { passed: number; failed: number; skipped: number };
};

const program = new Command("gate")
  .description("Runs the batteries of checks, one after the other.")
  .addOption(new Option("--scope <scope>", "how much runs").choices(["gate", "full"]).default("gate"))
  .option("--only <batteries>", "run these alone, separated by commas", batteriesOf)
  .option("--list", "print what each battery shows and what the gate leaves out, and end")
  .parse();
const { scope, only, list } = program.opts<{ scope: Scope; only?: Battery[]; list?: true }>();

if (list) {
  for (const { script, proves, leftOut, onlyInFull } of BATTERIES) {
    console.log(`${script}: ${proves}.`);
    if (leftOut) console.log(`  The gate leaves out ${onlyInFull ? "all of it: " : ""}${leftOut}.`);
  }
} else {
  const startedAt = performance.now();
  const results: Result[] = [];
  const chosen = only ?? BATTERIES.filter(({ onlyInFull }) => scope === "full" || !onlyInFull);
  const isBeside = ({ beside }: Battery) => chosen.some(({ script }) => script === beside);
  for (const battery of chosen.filter((each) => !isBeside(each))) {
    const others = chosen.filter(({ beside }) => beside === battery.script);
    console.log(`\n== npm run ${[battery, ...others].map(({ script }) => script).join(", and at the same time ")}`);
    const ended = await Promise.all([run(battery, true), ...others.map((other) => run(other, false))]);
    for (const [at, { result, said }] of ended.entries()) {
      if (at > 0) console.log(`\n== npm run ${result.battery.script}\n${said}`);
      console.log(lineOf(result));
      results.push(result);
    }
    if (scope === "full") writeFileSync(LAST_FULL, reportOf(results));
  }
  console.log(`\n${tableOf(results, (performance.now() - startedAt) / 1_000)}\n`);
  const failed = results.filter(({ hasPassed }) => !hasPassed);
  for (const { battery } of failed) console.log(`FAIL npm run ${battery.script}`);
  const sum = (count: keyof Result["counts"]) => results.reduce((all, { counts }) => all + counts[count], 0);
  console.log(`${sum("passed")} passed, ${Math.max(sum("failed"), failed.length)} failed, ${sum("skipped")} skipped`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function batteriesOf(text: string): Battery[] {
  return text.split(",").map((name) => {
    const battery = BATTERIES.find(({ script }) => script === name);
    if (battery) return battery;
    throw new InvalidArgumentError(`${name} is not one of ${BATTERIES.map(({ script }) => script).join(", ")}.`);
  });
}

/** Runs a battery. Its output is printed at once, or only returned. A battery that prints no counts counts as one spec. */
async function run(battery: Battery, isShown: boolean): Promise<{ result: Result; said: string }> {
  const startedAt = performance.now();
  const command = ["npm", "run", "--silent", battery.script, ...(battery.args?.(scope) ?? [])];
  const child = spawn("bash", ["-c", TIMED, "bash", ...command], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, SPEC_SCOPE: scope, ...(scope === "full" && battery.inFull) },
  });
  let said = "";
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    from.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (isShown) to.write(text);
    });
  const killGroup = () => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // All processes of the battery have already exited.
    }
  };
  groups.add(killGroup);
  // A process that the battery left running would keep its output open, and the gate would wait for it.
  child.on("exit", killGroup);
  const code = await new Promise<number | null>((ended) => child.on("close", ended));
  groups.delete(killGroup);
  const [, user = "0", system = "0"] = PROCESSOR.exec(said) ?? [];
  const counted = said.split("\n").flatMap((line) => COUNTS.exec(line)?.slice(1).map(Number) ?? []);
  const [passed = code === 0 ? 1 : 0, failed = code === 0 ? 0 : 1, skipped = 0] = counted.slice(-3);
  const result = {
    battery,
    hasPassed: code === 0,
    wallSeconds: (performance.now() - startedAt) / 1_000,
    processorSeconds: Number(user) + Number(system),
    counts: { passed, failed, skipped },
  };
  return { result, said };
}

function lineOf({ battery, hasPassed, wallSeconds, processorSeconds, counts }: Result): string {
  const { passed, failed, skipped } = counts;
  const times = `${Math.round(wallSeconds)} s, ${Math.round(processorSeconds)} s of processor time`;
  return `${hasPassed ? "ok  " : "FAIL"} ${battery.script.padEnd(20)} ${times}, ${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function tableOf(results: readonly Result[], wallSeconds: number): string {
  const processorSeconds = results.reduce((sum, result) => sum + result.processorSeconds, 0);
  const all = `${Math.round(wallSeconds)} s, ${Math.round(processorSeconds)} s of processor time`;
  return [...results.map(lineOf), `     ${"all".padEnd(20)} ${all}`].join("\n");
}

/** Returns the page with a line for the last run of each battery. Batteries that did not run now keep their lines. */
function reportOf(results: readonly Result[]): string {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  const before = existsSync(LAST_FULL) ? readFileSync(LAST_FULL, "utf8").split("\n") : [];
  const lines = BATTERIES.flatMap(({ script }) => {
    const result = results.find(({ battery }) => battery.script === script);
    if (!result) return before.filter((line) => line.startsWith(`| ${script} |`));
    const { hasPassed, wallSeconds, processorSeconds, counts } = result;
    const { passed, failed, skipped } = counts;
    const verdict = hasPassed ? "passed" : "**failed**";
    return `| ${script} | ${verdict} | ${passed} | ${failed} | ${skipped} | ${Math.round(wallSeconds)} | ${Math.round(processorSeconds)} | ${commit} | ${date} | ${machine} |`;
  });
  return `# The last full battery

\`npm run test:full\` writes this page. A maintainer runs it before a release. \`npm run test:full -- --only test:calls\` runs one battery again and writes its line.

| Battery | Result | Passed | Failed | Skipped | Seconds | Processor seconds | Commit | Date | Machine |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join("\n")}
`;
}
