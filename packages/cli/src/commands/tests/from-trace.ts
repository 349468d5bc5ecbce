import { Flags } from "@oclif/core";
import { draftTest } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { Refusal } from "../../refusal.ts";
import { contentText, versionText } from "../../authoring/test-content.ts";

export default command({
  summary: "Create a test from a past conversation",
  description:
    "The caller repeats what it said in the conversation. The agent should call the same tools, which are mocked with the same results. With --file, the command writes the test to a file and does not create it. Edit the file, then push it.",
  examples: [
    '<%= config.bin %> tests from-trace e87a0e1465e1d06e8d979e00fd1fec2a --name "Wants a refund"',
    "<%= config.bin %> tests from-trace e87a0e1465e1d06e8d979e00fd1fec2a --file tests/refund.md",
  ],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  flags: {
    name: Flags.string({ description: "Name of the test. Default: derived from the id of the conversation." }),
    suite: Flags.string({
      description: 'Id or exact name of the suite. Default: the suite "Default".',
      exclusive: ["file"],
    }),
    file: Flags.string({ description: "Write the test to this Markdown file.", helpValue: "<file>" }),
  },
  async run({ args, startSession, flags, note }) {
    const { client, projectId: project } = await startSession();
    const trace = await client.traces.get({ traceId: args.id, projectId: project });
    const { test, notes } = draftTest(trace, flags.name);
    if (test === null) throw new Refusal("unprocessable", notes[0]!);
    for (const line of notes) note(line);
    if (flags.file === undefined)
      return { created: await client.tests.create({ ...test, suite: flags.suite, project }), file: undefined };
    const { writeText } = await import("../../test-files/folder.ts");
    const { originOf } = await import("../../test-files/draft-files.ts");
    const { writeDraftFile } = await import("../../test-files/test-file.ts");
    await writeText(flags.file, writeDraftFile(test, originOf(trace.traceId)));
    return { created: undefined, file: flags.file };
  },
  show: ({ created, file }) =>
    created === undefined
      ? `Wrote ${file}. Edit it, then push it with \`svc tests push ${file}\`.`
      : `Created ${versionText(created)}\n\n${contentText(created)}`,
});
