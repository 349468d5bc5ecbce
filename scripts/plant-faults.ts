// `npm run plant-faults` plants each fault of scripts/faults.ts in a copy of the last commit, and runs the specs that must find it.
// Prints one line for each fault, and exits with 1 when one was not found.
import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Command, Option } from "commander";
import { BATTERIES } from "./batteries.ts";
import { FAULTS, type Fault } from "./faults.ts";

const LINES_SHOWN = 40;
/** If a fault makes its command hang for this long, the fault counts as not found. */
const LIMIT_MS = 15 * 60_000;
/** The scope of this project's own packages, which the copy takes from its own sources. */
const OURS = "@svc";

const { only } = new Command("plant-faults")
  .description("Plants faults in a copy of the last commit, and shows that the batteries find them.")
  .addOption(
    new Option("--only <batteries...>", "the batteries whose faults it plants").choices(
      BATTERIES.map(({ script }) => script),
    ),
  )
  .parse()
  .opts<{ only?: string[] }>();

const root = join(import.meta.dirname, "..");
const copy = makeCopy();
/** The commands use the same Node as this program. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
process.once("exit", removeCopy);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

let missed = 0;
for (const fault of FAULTS.filter(({ battery }) => only?.includes(battery) ?? true))
  if (!(await isFound(fault))) missed++;
process.exitCode = missed > 0 ? 1 : 0;

/** Plants the fault, runs its command and removes the fault. Returns whether the right spec failed. */
async function isFound({ battery, breaks, file, search, replacement, command, failing }: Fault): Promise<boolean> {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  const places = source.split(search).length - 1;
  if (places !== 1) throw new Error(`${file} has the text to replace ${places} times, not once: ${search}`);
  writeFileSync(
    path,
    source.replace(search, () => replacement),
  );
  const startedAt = performance.now();
  const { code, lines } = await run(command);
  writeFileSync(path, source);
  const failure = lines.find((line) => line.includes("FAIL") && line.includes(failing));
  const isRight = code !== 0 && failure !== undefined;
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${isRight ? "found " : "MISSED"} ${battery.padEnd(18)} ${breaks} (${seconds} s)`);
  if (!isRight) {
    console.log(`       The command ended with ${code}, and no line said FAIL with "${failing}". Its last lines:`);
    for (const line of lines.slice(-LINES_SHOWN)) console.log(`       ${line}`);
  }
  return isRight;
}

async function run(command: string): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn("sh", ["-c", command], { cwd: copy, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const endAll = () => process.kill(-child.pid!, "SIGKILL");
  const limit = setTimeout(endAll, LIMIT_MS);
  process.once("exit", endAll);
  const code = await new Promise<number | null>((ended) => child.on("close", ended));
  process.off("exit", endAll);
  clearTimeout(limit);
  endLeftProcesses();
  return { code, lines: stripVTControlCharacters(said).trimEnd().split("\n") };
}

/** Kills processes that still run after their command because of a fault. Works only on Linux. */
function endLeftProcesses(): void {
  for (const name of existsSync("/proc/self") ? readdirSync("/proc") : []) {
    try {
      if (/^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(copy))
        process.kill(Number(name), "SIGKILL");
    } catch {
      // The process has exited, or belongs to another user.
    }
  }
}

/** Copies the last commit, with the packages that are installed in this folder. */
function makeCopy(): string {
  const folder = join(mkdtempSync(join(tmpdir(), "svc-faults-")), "svc");
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", folder, "HEAD"], { cwd: root });
  const installed = join(root, "node_modules");
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, OURS), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== OURS && name !== ".cache") symlinkSync(join(installed, name), join(packages, name));
  for (const name of readdirSync(join(installed, OURS)))
    symlinkSync(join(folder, "packages", name), join(packages, OURS, name));
  if (existsSync(join(root, ".engines"))) symlinkSync(join(root, ".engines"), join(folder, ".engines"));
  return folder;
}

function removeCopy(): void {
  rmSync(join(copy, ".."), { recursive: true, force: true });
  execFileSync("git", ["worktree", "prune"], { cwd: root });
}
