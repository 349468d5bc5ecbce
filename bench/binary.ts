/**
 * Measures the single executable in an empty folder, with an empty environment: `npm run bench:binary -- --help`. Prints the
 * median time to the first answer of `/health`, the memory and the processor time of an idle service, and the processor time
 * of commands.
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

const options = new Command("bench:binary")
  .description("Measures the single executable.")
  .option("--program <file>", "the executable", "dist/svc-linux-x64")
  .option("--starts <number>", "starts of each kind; the median is printed", Number, 5)
  .option("--idle-seconds <number>", "how long the idle service is observed", Number, 20)
  .parse()
  .opts<Options>();
const program = resolve(options.program);
const SETTLE_MS = 10_000;
const TICK_MS = 10;

const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
const warm = join(folder, "cache");
let count = 0;

console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`);
print(
  "first start, to /health 200",
  await times(options.starts, () => startMs(join(folder, `cache-${++count}`))),
  "ms",
);
await startMs(warm);
print("later start, to /health 200", await times(options.starts, () => startMs(warm)), "ms");
await printIdle();
await printCommands();
rmSync(folder, { recursive: true, force: true });

/** Returns the time from the start of the program to the first answer of `/health`. */
async function startMs(cache: string): Promise<number> {
  const port = String(await freePort());
  const cwd = mkdtempSync(join(folder, "empty-"));
  const env = { PORT: port, SVC_WEB_PORT: port, SVC_CACHE_DIR: cache, LOG_LEVEL: "silent" };
  const startedAt = performance.now();
  const child = spawn(program, ["serve"], { cwd, env, stdio: "ignore" });
  while (!(await isHealthy(`http://127.0.0.1:${port}/health`))) await new Promise((done) => setTimeout(done, 5));
  const tookMs = performance.now() - startedAt;
  child.kill("SIGTERM");
  await once(child, "exit");
  return tookMs;
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
  console.log(
    `idle: ${mebibytes("VmRSS")} MiB resident, ${mebibytes("RssAnon")} MiB of it without the files of programs`,
  );
  console.log(`idle: ${percent.toFixed(2)} % of a core`);
  await stop();
}

async function printCommands(): Promise<void> {
  const key = newSecret();
  const settings = {
    SVC_CACHE_DIR: warm,
    SVC_INIT_ORGANIZATION: "Acme",
    SVC_INIT_PROJECT_API_KEY: key,
    LOG_LEVEL: "silent",
  };
  const { url, stop } = await startProgram(program, settings);
  const env = { SVC_CACHE_DIR: warm, SVC_URL: url, SVC_API_KEY: key };
  for (const words of [["--help"], ["tests", "list"]])
    print(`svc ${words.join(" ")}, processor time`, await times(options.starts, () => commandCpuMs(words, env)), "ms");
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
  return values.sort((one, other) => one - other);
}

function print(name: string, values: number[], unit: string): void {
  const [least, median, most] = [values[0]!, values[values.length >> 1]!, values.at(-1)!].map(Math.round);
  console.log(`${name}: median ${median} ${unit}, from ${least} to ${most} ${unit}`);
}
