// Writes packages/contract/openapi.json from the contract; with --check, fails when the committed file is not what it says.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { openApiDocument } from "@svc/contract";

const FILE = "packages/contract/openapi.json";
const wanted = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(FILE, wanted);
} else if (!existsSync(FILE) || readFileSync(FILE, "utf8") !== wanted) {
  console.error(`${FILE} is not what the contract says; run \`npm run openapi\` and commit it.`);
  process.exit(1);
}
