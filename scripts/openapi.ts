// Generates openapi.json, requests.json and the types of the Python client from the contract. With --check, fails when a committed
// file is outdated.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { openApiDocument, requestShapes } from "@svc/contract";
import { type Document, pythonStub } from "./python-stub.ts";

const { check } = new Command("openapi")
  .description(
    "Generates the OpenAPI document, the shapes of requests and the Python client's types from the contract.",
  )
  .option("--check", "write nothing, and fail when a committed file is outdated")
  .parse()
  .opts<{ check?: true }>();

const [document, shapes] = [openApiDocument(), requestShapes()];
const json = (content: object) => `${JSON.stringify(content, null, 2)}\n`;
const GENERATED = {
  "packages/contract/openapi.json": json(document),
  "packages/contract/src/requests.json": json(shapes),
  "packages/python/src/svc_voice/requests.json": json(shapes),
  "packages/python/src/svc_voice/client.pyi": pythonStub(document as Document, shapes),
};

for (const [file, wanted] of Object.entries(GENERATED)) {
  if (!check) {
    writeFileSync(file, wanted);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== wanted) {
    console.error(`${file} is outdated. Run \`npm run openapi\` and commit it.`);
    process.exitCode = 1;
  }
}
