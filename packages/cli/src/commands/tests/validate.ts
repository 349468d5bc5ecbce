import { argument, command } from "../../command.ts";
import { counted } from "../../output.ts";
import { EXIT } from "../../refusal.ts";

export default command({
  description: "Looks at the form alone and asks no service; ends with 1 when a file is no test.",
  examples: ["<%= config.bin %> tests validate tests/"],
  args: { folder: argument("Folder with a Markdown file for each test.") },
  async run({ args }) {
    const { readTests } = await import("../../test-files/folder.ts");
    const { contentFaults } = await import("../../test-files/check-content.ts");
    const { held, faults } = await readTests(args.folder);
    return { tests: held.length, faults: [...faults, ...contentFaults(held)] };
  },
  show: ({ tests, faults }) =>
    faults.length > 0
      ? faults.map(({ path, fault }) => `${path}: ${fault}`).join("\n")
      : `${counted(tests, "test")}, all well-formed.`,
  exitCode: ({ faults }) => (faults.length > 0 ? EXIT.refused : EXIT.done),
});
