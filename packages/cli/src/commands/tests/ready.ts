import { Args, Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { READY_SETS, type ReadySetName, readyTests } from "../../ready-tests/ready-tests.ts";
import { writeDrafts, writtenText } from "../../test-files/write-drafts.ts";

const SETS = Object.keys(READY_SETS) as ReadySetName[];

export default command({
  summary: "Write ready tests to files",
  description: `Writes Markdown files with tests that suit most agents. Their callers have fixed lines, and code decides every behavior, so they need no language model. The sets are: ${SETS.map((set) => `${set}: ${READY_SETS[set].about}.`).join(" ")} The command creates no test: read the files, remove what does not suit the agent, then push them. Existing files do not change.`,
  examples: ["<%= config.bin %> tests ready hostile", "<%= config.bin %> tests ready entities --dir tests/entities"],
  args: { set: Args.string({ description: "The set.", options: SETS, required: true, ignoreStdin: true }) },
  flags: {
    dir: Flags.string({ description: "The folder for the files.", default: "tests/ready", helpValue: "<folder>" }),
  },
  run: ({ args, flags }) =>
    writeDrafts(flags.dir, readyTests(args.set as ReadySetName), `From svc's ready set "${args.set}".`),
  show: (files, { flags }) =>
    [...writtenText(files), "", `Read them, then: svc tests push ${flags.dir} and svc runs start --suite Ready`].join(
      "\n",
    ),
});
