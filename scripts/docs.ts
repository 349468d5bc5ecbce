// Generates the reference pages in docs/ from the code. With --check, fails when a committed page is outdated.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { apiPage } from "./docs/api.ts";
import { commandLinePage } from "./docs/command-line.ts";
import { configurationPage } from "./docs/configuration.ts";

const { check } = new Command("docs")
  .description("Generates docs/configuration.md, docs/command-line.md and docs/api.md from the code.")
  .option("--check", "write nothing, and fail when a committed page is outdated")
  .parse()
  .opts<{ check?: true }>();

const MARK = "<!-- `npm run docs` generates this page. -->";
const PAGES = {
  "docs/configuration.md": configurationPage(),
  "docs/command-line.md": await commandLinePage(),
  "docs/api.md": apiPage(),
};

for (const [file, text] of Object.entries(PAGES)) {
  const wanted = `${MARK}\n\n${text}\n`;
  if (!check) {
    writeFileSync(file, wanted);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== wanted) {
    console.error(`${file} is outdated. Run \`npm run docs\` and commit it.`);
    process.exitCode = 1;
  }
}
