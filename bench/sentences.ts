// Prints how the service understands each expected behavior of test/grading/cases/sentences.json. With --write it also writes the golden
// file.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { sentenceReadings } from "../test/support/sentence-readings.ts";

const { write } = new Command("sentences")
  .description("Prints how each sentence of the golden file is read.")
  .option("--write", "write the golden file too")
  .parse()
  .opts<{ write?: true }>();
const GOLDEN = "test/grading/sentences.golden.json";

const readings = sentenceReadings();
for (const { sentence, decidedBy, reading, suggestion, problem } of readings) {
  console.log(`${decidedBy.padEnd(7)} ${sentence}`);
  if (decidedBy === "check") console.log(`        ${reading}`);
  if (suggestion !== null) console.log(`        nearest form: ${suggestion}`);
  if (problem !== null) console.log(`        ${problem}`);
}
const count = readings.filter(({ decidedBy }) => decidedBy === "check").length;
console.log(`\n${count} of ${readings.length} sentences are decided by code.`);

if (write) {
  writeFileSync(GOLDEN, JSON.stringify(readings, null, 2));
  execFileSync("node_modules/.bin/oxfmt", [GOLDEN]);
}
