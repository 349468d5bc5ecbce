// Builds the program as one executable: `npm run build:binary [-- SYSTEM …]`, by default for Linux on x64.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { Command } from "commander";
import { ENTRIES, MIGRATIONS } from "../../packages/server/src/assets.ts";
import { PACKAGE_FILES } from "../../packages/server/src/base/package-files.ts";
import { webFolder } from "../../packages/web/build.ts";
import { writeBoot, writeCode } from "./bundle.ts";
import { describeBuild } from "./describe-build.ts";
import { pinnedFolder } from "./packages.ts";
import type { ProgramFile } from "./private-files.ts";
import { compressedFile, filesBelow, programFile } from "./program-files.ts";
import { LIST, type Program } from "./program.ts";
import { type Target, TARGETS } from "./targets.ts";

const { resolve } = createRequire(join(import.meta.dirname, "../../packages/server/package.json"));
const root = join(import.meta.dirname, "../..");
/** Node's executable contains this mark. The build changes the digit after it to say that the executable contains a program. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Shows the output of a program only when it fails. */
const QUIET = { stdio: "pipe" } as const;

/** Files and folders that the code reads, by their path in the program's folder. The code itself is in the folder `code`. */
const ASSETS: Record<string, string> = {
  migrations: MIGRATIONS,
  "code/dist": await webFolder(),
};
const OF_PACKAGES = Object.entries(PACKAGE_FILES).map(([name, from]) => [`code/${name}`, resolve(from)]);

const { args } = new Command("build:binary")
  .description("Builds the command line, the service and its pages as one executable.")
  .argument("[systems...]", `${Object.keys(TARGETS).join(", ")}; linux-x64 by default`)
  .parse();

for (const name of args.length > 0 ? args : ["linux-x64"]) {
  const target = TARGETS[name];
  if (target === undefined) {
    const names = Object.keys(TARGETS).join(", ");
    console.error(`The registry lacks a Node or a native library for ${name}. Choose one of ${names}.`);
    process.exit(2);
  }
  const file = await buildProgram(name, target);
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  console.log(`${relative(root, file)}: ${megabytes} MB. ${target.remaining ?? ""}`.trim());
}

/** Builds the program for one system, and returns the path of the executable. */
async function buildProgram(name: string, target: Target): Promise<string> {
  const work = join(root, "build", "binary", name);
  rmSync(work, { recursive: true, force: true });
  const code = join(work, "code");
  const libraries = await writeCode(code, target.native);
  const description = join(work, "package.json");
  writeFileSync(description, JSON.stringify(describeBuild()));
  const codeFiles = new Map([...filesBelow({ code }), ["package.json", description]]);
  const data = filesBelow(ASSETS);
  const packageFiles = filesBelow(Object.fromEntries(OF_PACKAGES));
  const list: Omit<Program, "id"> = {
    entries: Object.keys(ENTRIES),
    code: listed(codeFiles),
    data: listed(data),
    libraries: listed(libraries),
    packageFiles: listed(packageFiles),
  };
  const id = createHash("sha256").update(JSON.stringify(list)).digest("hex").slice(0, 24);
  const listFile = join(work, LIST);
  writeFileSync(listFile, JSON.stringify({ id, ...list } satisfies Program));
  const assets = Object.fromEntries(
    [...codeFiles, ...data, ...libraries, ...packageFiles].map(([path, file]) => [path, compressedFile(file)]),
  );
  return writeExecutable(name, target, work, { ...assets, [LIST]: listFile });
}

function listed(files: ReadonlyMap<string, string>): ProgramFile[] {
  return [...files].map(([path, file]) => programFile(path, file));
}

/** Writes Node's executable with the boot code and the assets in it. */
async function writeExecutable(name: string, target: Target, work: string, assets: Record<string, string>) {
  const [boot, config, blob] = ["boot.cjs", "program-config.json", "blob"].map((file) => join(work, file)) as [
    string,
    string,
    string,
  ];
  await writeBoot(boot);
  const settings = { main: boot, output: blob, assets, disableExperimentalSEAWarning: true, execArgvExtension: "none" };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(join(pinnedFolder(target.blobWriter), "bin", "node"), ["--experimental-sea-config", config], QUIET);
  const file = join(root, "dist", `svc-${name}${name.startsWith("win") ? ".exe" : ""}`);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  copyFileSync(join(pinnedFolder(target.node), target.executable), file);
  chmodSync(file, 0o755);
  const segment = name.startsWith("darwin") ? ["--macho-segment-name", "NODE_SEA"] : [];
  const postject = join(root, "node_modules", "postject", "dist", "cli.js");
  execFileSync(process.execPath, [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment], QUIET);
  return file;
}
