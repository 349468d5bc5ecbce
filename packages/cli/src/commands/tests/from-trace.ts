import { Flags } from "@oclif/core";
import { draftTest } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { Refusal } from "../../refusal.ts";
import { contentText, versionText } from "../../authoring/test-content.ts";

export default command({
  summary: "Draft a test from a past conversation",
  description:
    "The caller repeats what it said in the conversation. The agent should call the same tools, which are mocked with the same results. Prints the draft and stores nothing. With --file, the command writes the draft to a file: edit it, then push it. With --save, the service stores it.",
  examples: [
    "<%= config.bin %> tests from-trace e87a0e1465e1d06e8d979e00fd1fec2a",
    "<%= config.bin %> tests from-trace e87a0e1465e1d06e8d979e00fd1fec2a --file tests/refund.md",
    '<%= config.bin %> tests from-trace e87a0e1465e1d06e8d979e00fd1fec2a --name "Wants a refund" --save',
  ],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  flags: {
    name: Flags.string({ description: "Name of the test. Default: derived from the id of the conversation." }),
    file: Flags.string({
      description: "Write the draft to this Markdown file.",
      helpValue: "<file>",
      exclusive: ["save"],
    }),
    save: Flags.boolean({ description: "Store the draft as a test." }),
    suite: Flags.string({
      description: 'Id or exact name of the suite of the stored test. Default: the suite "Default".',
      dependsOn: ["save"],
    }),
  },
  async run({ args, startSession, flags, note }) {
    const { client, projectId: project } = await startSession();
    const trace = await client.traces.get({ traceId: args.id, projectId: project });
    const { test, notes } = draftTest(trace, flags.name);
    if (test === null) throw new Refusal("unprocessable", notes[0]!);
    for (const line of notes) note(line);
    if (flags.save) return { created: await client.tests.create({ ...test, suite: flags.suite, project }) };
    const { originOf } = await import("../../test-files/draft-files.ts");
    const { writeDraftFile } = await import("../../test-files/test-file.ts");
    const text = writeDraftFile(test, originOf(trace.traceId));
    if (flags.file === undefined) return { draft: test, text };
    const { writeText } = await import("../../test-files/folder.ts");
    await writeText(flags.file, text);
    return { file: flags.file };
  },
  show: ({ created, text, file }, { args }) => {
    if (created !== undefined) return `Created ${versionText(created)}\n\n${contentText(created)}`;
    if (file !== undefined) return `Wrote ${file}. Edit it, then push it with \`svc tests push ${file}\`.`;
    const command = `svc tests from-trace ${args.id}`;
    return `${text}\nNothing is stored. Write a file to edit: \`${command} --file <file>\`. Store it as it is: \`${command} --save\`.`;
  },
});
