import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted } from "../../output.ts";
import { EXIT } from "../../refusal.ts";

export default command({
  summary: "Check tests in files",
  description: "Checks the form of the files without the service. The exit code is 1 when a file is not a valid test.",
  examples: ["<%= config.bin %> tests validate tests/"],
  args: { folder: argument("Folder with a Markdown file for each test.") },
  async run({ args }) {
    const { readTests } = await import("../../test-files/folder.ts");
    const { contentProblems } = await import("../../test-files/check-content.ts");
    const { files, problems } = await readTests(args.folder);
    return { tests: files.length, faults: [...problems, ...contentProblems(files)] };
  },
  show: ({ tests, faults }) =>
    faults.length > 0
      ? faults.map(({ path, fault }) => `${path}: ${fault}`).join("\n")
      : `${counted(tests, "test")}, all valid.`,
  exitCode: ({ faults }) => (faults.length > 0 ? EXIT.refused : EXIT.done),
});
