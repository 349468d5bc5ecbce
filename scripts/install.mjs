// Installs the packages of the lock file. Plain JavaScript for Node 20 or newer, because a new machine runs it before anything is
// installed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { servicesOf } from "./running-services.mjs";

/** The package that starts the service. It depends on everything that a running service needs. */
const SERVING = "@svc/cli";

/**
 * Installs the missing packages: all of them, or only those that a running service needs. Exits with 1 when npm fails, or while a
 * service of this checkout runs, because npm would replace its files. A later installation of all packages replaces a smaller one.
 */
export function install(root, { serving }) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const needed = serving ? servingPackages(packages) : Object.keys(packages).filter(isInstalledByNpm);
  if (isPresent(root, packages, needed)) return;
  const [service] = servicesOf(root);
  if (service !== undefined) {
    console.error(
      `A service of this folder runs (process ${service}), and packages are missing. npm would replace the packages that the service uses. Stop it, run this command again, then start the service.`,
    );
    process.exit(1);
  }
  console.error(`Installing ${serving ? "what the service needs" : "all dependencies"} (npm ci) …`);
  const omitted = serving ? ["--omit=dev", "--omit=peer"] : [];
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", ...omitted], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) {
    console.error("npm ci failed; its messages above say why. Correct the cause and run this again.");
    process.exit(1);
  }
  if (serving) removeUnneeded(root, new Set(needed));
}

const isInstalledByNpm = (path) => path.includes("node_modules/");

/** Returns whether npm's record of the installation lists each package in the version of the lock file. */
function isPresent(root, packages, needed) {
  const record = recordOf(root);
  return (
    record !== undefined &&
    needed.every((path) =>
      record[path] ? record[path].version === packages[path].version : packages[path].optional === true,
    )
  );
}

function recordOf(root) {
  const path = join(root, "node_modules", ".package-lock.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : undefined;
}

/**
 * Returns the paths of the packages that the root package and the serving package need, directly or through others. Optional peers
 * are not followed.
 */
function servingPackages(packages) {
  const reached = new Set();
  const follow = (folder, names) => {
    for (const name of names) {
      const path = resolve(packages, folder, name);
      if (path === undefined || reached.has(path)) continue;
      reached.add(path);
      const place = packages[path].link ? packages[path].resolved : path;
      follow(place, requirementsOf(packages[place]));
    }
  };
  follow("", [SERVING, ...Object.keys(packages[""].optionalDependencies ?? {})]);
  return [...reached];
}

function requirementsOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Returns the path of the package that Node finds for `name` in `folder`, or in a folder above it. */
function resolve(packages, folder, name) {
  for (let at = folder; ; at = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "") {
    const path = `${at ? `${at}/` : ""}node_modules/${name}`;
    if (path in packages) return path;
    if (at === "") return undefined;
  }
}

/** Removes packages that npm installs only as optional peers of other packages, and files that no program reads. */
function removeUnneeded(root, needed) {
  const remove = (path) => rmSync(join(root, path), { recursive: true, force: true });
  for (const path of Object.keys(recordOf(root) ?? {})) if (isInstalledByNpm(path) && !needed.has(path)) remove(path);
  const modules = join(root, "node_modules");
  for (const path of readdirSync(modules, { recursive: true })) {
    if (isUnread(path.replaceAll("\\", "/"))) remove(join("node_modules", path));
  }
  for (const name of readdirSync(join(modules, ".bin"))) {
    if (!existsSync(join(modules, ".bin", name))) remove(join("node_modules/.bin", name));
  }
}

/**
 * Returns whether a running service never reads a file: headers of Node, sources of SQLite and builds of it for other systems,
 * source maps, or types.
 */
function isUnread(path) {
  if (path.startsWith("better-sqlite3/prebuilds/")) {
    return !new RegExp(`/${process.platform}(musl)?-${process.arch}\\.node$`).test(path);
  }
  return /^node-[^/]+\/include$|^better-sqlite3\/(deps|src)$|\.(map|d\.[cm]?ts)$/.test(path);
}
