import { join } from "node:path";
import { Args, Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { READY_SETS, type ReadySetName, readyTests } from "../../ready-tests/ready-tests.ts";
import { counted } from "../../terminal/output.ts";

const SETS = Object.keys(READY_SETS) as ReadySetName[];

export default command({
  summary: "Write ready tests to files",
  description: `Writes Markdown files with tests that suit most agents. Their callers have fixed lines, and code decides every behavior, so they need no language model. The sets are: ${SETS.map((set) => `${set}: ${READY_SETS[set].about}.`).join(" ")} The command creates no test: read the files, remove what does not suit the agent, then push them. Existing files do not change.`,
  examples: ["<%= config.bin %> tests ready hostile", "<%= config.bin %> tests ready entities --dir tests/entities"],
  args: { set: Args.string({ description: "The set.", options: SETS, required: true, ignoreStdin: true }) },
  flags: {
    dir: Flags.string({ description: "The folder for the files.", default: "tests/ready", helpValue: "<folder>" }),
  },
  async run({ args, flags }) {
    const { exists, fileNameOf, writeText } = await import("../../test-files/folder.ts");
    const { writeTestFile } = await import("../../test-files/test-file.ts");
    const [written, kept]: [string[], string[]] = [[], []];
    for (const test of readyTests(args.set as ReadySetName)) {
      const path = join(flags.dir, fileNameOf(test.name, new Set()));
      const isKept = await exists(path);
      if (!isKept) await writeText(path, writeTestFile(test));
      (isKept ? kept : written).push(path);
    }
    return { written, kept };
  },
  show: ({ written, kept }, { flags }) =>
    [
      ...(written.length === 0 ? [] : [`Wrote ${counted(written.length, "file")}:`, ...written]),
      ...kept.map((path) => `Left as it is: ${path}`),
      "",
      `Read them, then: svc tests push ${flags.dir} and svc runs start --suite Ready`,
    ].join("\n"),
});
