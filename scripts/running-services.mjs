// Finds the services that run from a checkout. Plain JavaScript for any Node from 20 up, because a fresh machine runs it first.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";

/** The commands of `svc` that run a service. */
const SERVING = new Set(["serve", "demo"]);

/**
 * Returns the ids of the processes that serve from the checkout in `root`. Windows needs no such list, because npm cannot replace the
 * files of a running program there.
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

/** Returns the processes in /proc whose folder this user may read. */
function processesOfLinux() {
  return readdirSync("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      const args = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      return [{ id, args, folder: readlinkSync(`/proc/${id}/cwd`) }];
    } catch {
      // The process has ended, or it is of another user.
      return [];
    }
  });
}

/** Returns the processes that `ps` lists. It names no folder: a relative path counts as one in `root` for a program of `root`. */
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
