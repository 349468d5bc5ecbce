// Finds services that run from a checkout. Plain JavaScript for Node 20 or newer, because a new machine runs it before anything is
// installed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";

/** The commands of `svc` that run a service. */
const SERVING = new Set(["serve", "demo"]);

/**
 * Returns the ids of the processes that serve from the checkout in `root`. On Windows it returns nothing, because npm cannot
 * replace the files of a running program there anyway.
 */
export function servicesOf(root) {
  const program = realPath(join(root, "packages/cli/bin/svc.js"));
  const processes =
    process.platform === "win32" ? [] : existsSync("/proc/self/cmdline") ? processesOfLinux() : processesOfPs(root);
  return processes.flatMap(({ id, args, folder }) => {
    const at = args.findIndex((arg, index) => index > 0 && !arg.startsWith("-"));
    return at > 0 && SERVING.has(args[at + 1]) && realPath(resolve(folder, args[at])) === program ? [id] : [];
  });
}

/** Returns the processes in /proc whose working directory this user may read. */
function processesOfLinux() {
  return readdirSync("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      const args = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      return [{ id, args, folder: readlinkSync(`/proc/${id}/cwd`) }];
    } catch {
      // The process has exited, or belongs to another user.
      return [];
    }
  });
}

/** Returns the processes that `ps` lists. `ps` does not print working directories, so a relative path counts as a path in `root`. */
function processesOfPs(root) {
  const { stdout } = spawnSync("ps", ["-A", "-ww", "-o", "pid=", "-o", "args="], { encoding: "utf8" });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [id, ...args] = line.trim().split(" ");
    return args.length === 0 ? [] : [{ id, args, folder: args[0].startsWith(root) ? root : "/" }];
  });
}

function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
