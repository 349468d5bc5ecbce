/**
 * Measures the single executable in an empty folder, with an empty environment: `npm run bench -- binary --help`. Prints the
 * median time and processor time to the first answer of `/health`, the memory and the processor time of an idle service, and
 * the processor time of commands, each beside its aim. The aims hold for a quiet machine.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { newSecret } from "../test/support/secret.ts";
import { freePort, startProgram } from "../test/support/program.ts";

type Options = { program: string; starts: number; idleSeconds: number };

const options = new Command("binary")
  .description("Measures the single executable.")
  .option("--program <file>", "the executable", "dist/svc-linux-x64")
  .option("--starts <number>", "starts of each kind; the median is printed", Number, 5)
  .option("--idle-seconds <number>", "how long the idle service is observed", Number, 20)
  .parse()
  .opts<Options>();
const program = resolve(options.program);
const SETTLE_MS = 10_000;
const TICK_MS = 10;
const AIMS = { firstStartMs: 900, laterStartMs: 400, residentMebibytes: 180, idlePercent: 1, helpMs: 100, listMs: 250 };

const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
const warm = join(folder, "cache");
let count = 0;

console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`);
await printStarts("first start", () => join(folder, `cache-${++count}`), AIMS.firstStartMs);
await startOnce(warm);
await printStarts("later start", () => warm, AIMS.laterStartMs);
await printIdle();
await printCommands();
rmSync(folder, { recursive: true, force: true });

async function printStarts(name: string, cache: () => string, aimMs: number): Promise<void> {
  const starts: { tookMs: number; cpuMs: number }[] = [];
  for (let at = 0; at < options.starts; at++) starts.push(await startOnce(cache()));
  print(`${name}, to /health 200`, sorted(starts.map(({ tookMs }) => tookMs)), aimMs);
  print(`${name}, processor time`, sorted(starts.map((start) => start.cpuMs)));
}

/** Returns the time and the processor time from the start of the program to the first answer of `/health`. */
async function startOnce(cache: string): Promise<{ tookMs: number; cpuMs: number }> {
  const port = String(await freePort());
  const cwd = mkdtempSync(join(folder, "empty-"));
  const env = { PORT: port, SVC_WEB_PORT: port, SVC_CACHE_DIR: cache, LOG_LEVEL: "silent" };
  const startedAt = performance.now();
  const child = spawn(program, ["serve"], { cwd, env, stdio: "ignore" });
  while (!(await isHealthy(`http://127.0.0.1:${port}/health`))) await new Promise((done) => setTimeout(done, 5));
  const start = { tookMs: performance.now() - startedAt, cpuMs: cpuMs(child.pid!) };
  child.kill("SIGTERM");
  await once(child, "exit");
  return start;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false;
  }
}

async function printIdle(): Promise<void> {
  const { pid, stop } = await startProgram(program, { SVC_CACHE_DIR: warm, LOG_LEVEL: "silent" });
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const before = cpuMs(pid);
  await new Promise((done) => setTimeout(done, options.idleSeconds * 1000));
  const percent = (cpuMs(pid) - before) / (options.idleSeconds * 10);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024);
  const resident = mebibytes("VmRSS");
  console.log(
    `idle: ${resident} MiB resident${beside(resident, AIMS.residentMebibytes, "MiB")}; ${mebibytes("RssAnon")} MiB of it without the files of programs`,
  );
  console.log(`idle: ${percent.toFixed(2)} % of a core${beside(percent, AIMS.idlePercent, "%")}`);
  await stop();
}

async function printCommands(): Promise<void> {
  const key = newSecret();
  const settings = {
    SVC_CACHE_DIR: warm,
    SVC_INIT_API_KEYS: `project:${key}`,
    LOG_LEVEL: "silent",
  };
  const { url, stop } = await startProgram(program, settings);
  const env = { SVC_CACHE_DIR: warm, SVC_URL: url, SVC_API_KEY: key };
  const commands: [string[], number][] = [
    [["--help"], AIMS.helpMs],
    [["tests", "list"], AIMS.listMs],
  ];
  for (const [words, aimMs] of commands) {
    print(`svc ${words.join(" ")}, processor time`, await times(options.starts, () => commandCpuMs(words, env)), aimMs);
  }
  await stop();
}

/** Returns the processor time that a command uses: the difference in the time of the ended children of a shell. */
async function commandCpuMs(words: string[], env: Record<string, string>): Promise<number> {
  const shell = spawn("/bin/sh", ["-c", '"$0" "$@" >/dev/null; times', program, ...words], { env });
  let printed = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await once(shell, "close");
  const [, children] = printed.trim().split("\n");
  const seconds = [...children!.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return seconds.reduce((sum, each) => sum + each, 0) * 1000;
}

/** Returns the processor time of a process and its threads. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function times(number: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let at = 0; at < number; at++) values.push(await measure());
  return sorted(values);
}

function sorted(values: number[]): number[] {
  return values.sort((one, other) => one - other);
}

function print(name: string, values: number[], aimMs?: number): void {
  const [least, median, most] = [values[0]!, values[values.length >> 1]!, values.at(-1)!];
  const aim = aimMs === undefined ? "" : beside(median, aimMs, "ms");
  console.log(`${name}: median ${Math.round(median)} ms, from ${Math.round(least)} to ${Math.round(most)} ms${aim}`);
}

/** Returns the aim of a figure, and whether the figure reaches it. */
function beside(value: number, aim: number, unit: string): string {
  return ` (aim ${aim} ${unit}: ${value <= aim ? "reached" : "not reached"})`;
}
