import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { PinnedPackage } from "./targets.ts";

const root = join(import.meta.dirname, "../..");
const fetched = join(root, "build", "packages");

/** Returns the folder of an installed package, or of a package that the lock file names for another system. */
export function packageFolder(name: string): string {
  const installed = join(root, "node_modules", name);
  if (existsSync(join(installed, "package.json"))) return installed;
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`The lock file has no package ${name}.`);
  return pinnedFolder({ name, ...locked });
}

/**
 * Returns the folder of a package: the installed package of this version, or else one that npm downloads from the registry and
 * checks.
 */
export function pinnedFolder({ name, version, integrity }: PinnedPackage): string {
  const installed = join(root, "node_modules", name);
  const manifest = join(installed, "package.json");
  if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version === version)
    return installed;
  const folder = join(fetched, `${name.replace("/", "-")}-${version}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const packed = execFileSync("npm", ["pack", `${name}@${version}`, "--json", "--pack-destination", unfinished], {
    encoding: "utf8",
    cwd: unfinished,
    shell: process.platform === "win32",
  });
  const [archive] = JSON.parse(packed) as [{ filename: string; integrity: string }];
  if (archive.integrity !== integrity)
    throw new Error(`The registry's ${name}@${version} has the digest ${archive.integrity} instead of ${integrity}.`);
  execFileSync("tar", ["-xzf", archive.filename, "--strip-components=1"], { cwd: unfinished });
  rmSync(join(unfinished, archive.filename));
  renameSync(unfinished, folder);
  return folder;
}
