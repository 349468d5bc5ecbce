// Finds sentences that break the project's rule of English (CONTRIBUTING.md), with a correction for each:
//   node scripts/run.mjs scripts/check-words.ts [files or folders]
// Reads comments, Markdown, the text of pages and the strings that people read. A string's syntactic place decides: titles of
// specs, arguments of errors and log calls, descriptions, messages, and in packages every string that is a sentence. All else
// is data.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { Command } from "commander";
import { proseOf } from "./words/prose.ts";
import { findingsIn } from "./words/rules.ts";

const PATHS = ["*.ts", "*.tsx", "*.css", "*.mjs", "*.js", "*.sql", "*.md"];

const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...PATHS], {
  encoding: "utf8",
});
if (listed.status !== 0) throw new Error(`git does not list the files: ${listed.stderr}`);

const { args } = new Command("check-words")
  .description("Finds sentences that break the project's rule of English.")
  .argument("[paths...]", "files or folders; without one, the whole project")
  .parse();
const chosen = args.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
const files = listed.stdout
  .split("\0")
  .filter((file) => file !== "" && existsSync(file))
  .filter((file) => chosen.length === 0 || chosen.some((path) => file === path || file.startsWith(`${path}/`)));

let count = 0;
for (const file of files) {
  for (const { line, sentence, mend } of proseOf(file, readFileSync(file, "utf8")).flatMap(findingsIn)) {
    count++;
    console.log(`${file}:${line} ${sentence}\n    ${mend}`);
  }
}
console.log(`${count} findings in ${files.length} files.`);
process.exit(count === 0 ? 0 : 1);
