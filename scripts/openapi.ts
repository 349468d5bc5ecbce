// Generates openapi.json and requests.json from the contract. With --check it fails when a committed file is outdated.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { openApiDocument, requestShapes } from "@svc/contract";

const { check } = new Command("openapi")
  .description("Generates the OpenAPI document and the shapes of requests from the contract.")
  .option("--check", "write nothing, and fail when a committed file is outdated")
  .parse()
  .opts<{ check?: true }>();

const GENERATED = {
  "packages/contract/openapi.json": openApiDocument(),
  "packages/contract/src/requests.json": requestShapes(),
};

for (const [file, content] of Object.entries(GENERATED)) {
  const wanted = `${JSON.stringify(content, null, 2)}\n`;
  if (!check) {
    writeFileSync(file, wanted);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== wanted) {
    console.error(`${file} is outdated. Run \`npm run openapi\` and commit it.`);
    process.exitCode = 1;
  }
}
