// Prints, for each form of behaviors, how many of the hard cases code decides rightly. The argument is a folder of cases, by
// default test/grading/cases/seen. `--list` also prints each case that is decided wrongly or left undecided.
import { Command } from "commander";
import { CASES, confusionOf, decideCase, hardCases } from "../test/support/hard-cases.ts";

const command = new Command("confusion")
  .description("Prints, for each form of behaviors, how many of the hard cases its check decides rightly.")
  .argument("[folder]", "folder of cases", `${CASES}seen`)
  .option("--list", "print each case that is decided wrongly or left undecided too")
  .parse();
const [folder] = command.processedArgs as [string];
const decided = hardCases(folder).map(decideCase);

const COLUMNS = ["form", "cases", "right", "false pass", "false fail", "undecided"] as const;
const rows = [COLUMNS, ...confusionOf(decided).map((row) => COLUMNS.map((column) => String(row[column])))];
for (const row of rows) console.log(row.map((cell, at) => (at === 0 ? cell.padEnd(18) : cell.padStart(11))).join(""));

if (command.opts<{ list?: true }>().list) {
  for (const { id, behavior, form, outcome, truth, verdict, reason } of decided) {
    if (outcome !== "right" && form !== "judge")
      console.log(`\n${outcome}: ${id} ${behavior}\n  the truth is ${truth}, the verdict ${verdict}: ${reason}`);
  }
}
