// `npm run build:packs` writes the npm packages into dist, as svc-sdk-….tgz, svc-cli-….tgz and svc-worker-helper-….tgz. Each
// package contains the other packages of this project that it needs, so that one file is enough.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stageCli } from "./cli.ts";
import { stageSdk } from "./sdk.ts";
import { stageWorkerHelper } from "./worker-helper.ts";

const STAGES = "dist/packs";
const PACKS: [name: string, stage: (folder: string) => object | Promise<object>][] = [
  ["sdk", stageSdk],
  ["worker-helper", stageWorkerHelper],
  ["cli", stageCli],
];

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/cli", "packages/worker-helper"], {
  stdio: "inherit",
});
rmSync(STAGES, { recursive: true, force: true });
for (const [name, stage] of PACKS) {
  const folder = join(STAGES, name);
  mkdirSync(folder, { recursive: true });
  const manifest = await stage(folder);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [file, source] of Object.entries({ LICENSE: "LICENSE", "README.md": `packages/${name}/README.md` }))
    writeFileSync(join(folder, file), readFileSync(source));
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", "../.."], {
    cwd: folder,
    encoding: "utf8",
  });
  const [{ filename, size, unpackedSize }] = JSON.parse(packed) as [
    { filename: string; size: number; unpackedSize: number },
  ];
  const kB = (bytes: number) => `${Math.ceil(bytes / 1000)} kB`;
  console.log(`dist/${filename}: ${kB(size)}, unpacked ${kB(unpackedSize)}`);
}
rmSync(STAGES, { recursive: true, force: true });
