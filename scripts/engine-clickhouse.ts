// `npm run engine:clickhouse` installs ClickHouse's engine for the specs into its own folder. The package has 566 MB, so no other
// command installs it.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { enginePackage, ENGINE_FOLDER, ENGINE_VERSION } from "../test/engines/find-clickhouse.ts";

if (enginePackage() !== undefined) {
  console.log(`ClickHouse's engine (chdb ${ENGINE_VERSION}) is installed in ${ENGINE_FOLDER}.`);
  process.exit(0);
}
console.log(`Installing ClickHouse's engine (chdb ${ENGINE_VERSION}, 566 MB) into ${ENGINE_FOLDER} …`);
rmSync(ENGINE_FOLDER, { recursive: true, force: true });
mkdirSync(ENGINE_FOLDER, { recursive: true });
writeFileSync(`${ENGINE_FOLDER}/package.json`, '{ "private": true }\n');
const options = ["--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", "--progress=true", "--loglevel=http"];
const npm = spawnSync("npm", ["install", ...options, `chdb@${ENGINE_VERSION}`], {
  cwd: ENGINE_FOLDER,
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (npm.status !== 0 || enginePackage() === undefined) {
  rmSync(ENGINE_FOLDER, { recursive: true, force: true });
  console.error("The engine was not installed; npm's messages above say why. Correct the cause and run this again.");
  process.exit(1);
}
console.log(`Installed. \`npm run test:engines\` uses it; remove the folder ${ENGINE_FOLDER} to free its space.`);
