// Generates openapi.json and requests.json from the contract. With --check it fails when a committed file is outdated.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { openApiDocument, requestShapes } from "@svc/contract";

const GENERATED = {
  "packages/contract/openapi.json": openApiDocument(),
  "packages/contract/src/requests.json": requestShapes(),
};

for (const [file, content] of Object.entries(GENERATED)) {
  const wanted = `${JSON.stringify(content, null, 2)}\n`;
  if (!process.argv.includes("--check")) {
    writeFileSync(file, wanted);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== wanted) {
    console.error(`${file} is outdated. Run \`npm run openapi\` and commit it.`);
    process.exitCode = 1;
  }
}
