// `stage.ts FOLDER` writes the content of the image: this project's packages, compiled, and in node_modules only the packages that
// they need at run time. `npm --omit=dev` would keep more, namely optional peers of other packages, such as React and Vitest for
// better-auth.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { webFolder } from "@svc/web";
import { copyCompiled, writeIn } from "../packs/compiled.ts";
import { manifestOf, publicManifest } from "../packs/manifest.ts";

/** This project's packages whose code runs. Of the pages, the image has only the built files. */
const OURS = ["contract", "sdk", "server", "cli"];
/** Parts of packages that only a compiler needs, or only another system. */
const UNUSED = ["better-sqlite3/deps", "better-sqlite3/src"];

type Needs = {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder to write.");
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/cli"], { stdio: "inherit" });
rmSync(folder, { recursive: true, force: true });

for (const path of foreignPackages())
  cpSync(path, join(folder, path), { recursive: true, filter: (file) => !file.endsWith(".map") });
for (const path of UNUSED) rmSync(join(folder, "node_modules", path), { recursive: true, force: true });

mkdirSync(join(folder, "node_modules/@svc"));
for (const name of [...OURS, "web"]) {
  const place = join(folder, "packages", name);
  writeIn(place, "package.json", `${JSON.stringify(publicManifest(manifestOf(name)), null, 2)}\n`);
  symlinkSync(`../../packages/${name}`, join(folder, "node_modules/@svc", name));
  if (OURS.includes(name)) copyCompiled(name, join(place, "dist"));
}
for (const path of ["cli/bin", "server/migrations", "web/folder.js"])
  cpSync(join("packages", path), join(folder, "packages", path), { recursive: true });
cpSync(await webFolder(), join(folder, "packages/web/dist"), { recursive: true });

/** Returns the folders of the third-party packages that this project's packages need at run time. */
function foreignPackages(): string[] {
  const found = new Set<string>();
  const addNeeds = (from: string) => {
    const needs = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Needs;
    const isRequired = (name: string) => needs.peerDependenciesMeta?.[name]?.optional !== true;
    const peers = Object.keys(needs.peerDependencies ?? {}).filter(isRequired);
    for (const name of [...Object.keys({ ...needs.dependencies, ...needs.optionalDependencies }), ...peers]) {
      const path = name.startsWith("@svc/") ? undefined : resolve(name, from);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      addNeeds(path);
    }
  };
  for (const name of OURS) addNeeds(`packages/${name}`);
  return [...found];
}

/** Returns the folder in which Node finds a package; undefined for an optional one that is not installed. */
function resolve(name: string, from: string): string | undefined {
  const path = join(from, "node_modules", name);
  if (existsSync(path)) return path;
  return from === "." ? undefined : resolve(name, dirname(from));
}
