// Installs the missing packages, and then runs a program on the project's own Node: `run.mjs [--serving] PROGRAM …`. With
// `--serving`, it installs only what the service needs. Plain JavaScript for Node 20 or newer, because a new machine runs it before
// anything is installed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.mjs";

const OLDEST_NODE = [22, 18];
/**
 * Settings of glibc's allocator. By default, it has a heap for each thread and keeps freed memory, which adds 100 MB to a busy
 * service.
 */
const GIVE_MEMORY_BACK = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
};
const root = fileURLToPath(new URL("..", import.meta.url));
const serving = process.argv[2] === "--serving";

install(root, { serving });
const child = spawn(projectNode(), ["--conditions=svc-source", ...process.argv.slice(serving ? 3 : 2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...GIVE_MEMORY_BACK, ...process.env },
});
if (process.env.npm_lifecycle_event !== undefined) endWithNpm();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));

/** Ends the program when npm, or the shell between npm and this process, exits, because npm sends a SIGTERM only to the shell. */
function endWithNpm() {
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    child.kill("SIGTERM");
  }, 200);
  timer.unref();
}

/** Returns the id of a process's parent; undefined on systems without /proc. */
function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1];
  } catch {
    return undefined;
  }
}

/**
 * Returns the Node from the registry for this machine. If there is none, returns the Node that runs this file, and exits with 1 if
 * it is too old.
 */
function projectNode() {
  const { platform, arch } = process;
  const file = platform === "win32" ? "win-x64/bin/node.exe" : `${platform}-${arch}/bin/node`;
  const own = ["node-", "node-bin-"].map((name) => join(root, "node_modules", name + file)).find(existsSync);
  if (own !== undefined) return own;
  const { node } = process.versions;
  const [major, minor] = node.split(".").map(Number);
  const isRecent = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const reason = `The registry has no Node for ${platform} ${arch}`;
  console.error(
    isRecent
      ? `${reason}: this machine's Node ${node} runs the program.`
      : `${reason}, and this machine's Node ${node} is too old: install Node ${OLDEST_NODE.join(".")} or newer.`,
  );
  if (!isRecent) process.exit(1);
  return process.execPath;
}
