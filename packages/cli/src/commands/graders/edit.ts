import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import {
  DEFINING,
  definitionFlags,
  definitionOf,
  graderText,
  settingsFlags,
  settingsOf,
} from "../../grader-content.ts";
import { graderIdOf } from "../../names.ts";
import { usage } from "../../refusal.ts";

export default command({
  description:
    "What it looks at makes the next version, which runs that began do not see. How it is used makes none, and can be changed of graders that ship with the service too. With --expected-version the edit is refused when someone was faster.",
  examples: [
    `<%= config.bin %> graders edit "No promises" --check 'never says /guarantee/i'`,
    '<%= config.bin %> graders edit "Unanswered turns" --counts',
    '<%= config.bin %> graders edit "Expected behaviors" --no-enabled',
  ],
  args: { grader: argument("Id or exact name.") },
  flags: {
    name: Flags.string({ description: "Unique among the project's graders." }),
    ...definitionFlags,
    ...settingsFlags,
    "expected-version": Flags.string({
      description: "Id of the version that the edit builds on; default: the current one.",
      helpValue: "<grdv_…>",
    }),
  },
  async run({ args, connect, flags }) {
    const { name } = flags;
    const definition = definitionOf(flags);
    const settings = settingsOf(flags);
    const isEdit = name !== undefined || definition !== undefined;
    if (!isEdit && settings === undefined) {
      throw usage(`Name what to change: --name, ${DEFINING}, --enabled, --counts, --scope or --sample-rate.`);
    }
    const connection = await connect();
    const { client, project: projectId } = connection;
    const graderId = await graderIdOf(connection, args.grader);
    const ids = { graderId, projectId };
    if (isEdit) {
      const expectedVersionId = flags["expected-version"] ?? (await client.graders.get(ids)).grader.versionId;
      await client.graders.edit({ ...ids, expectedVersionId, name, definition });
    }
    if (settings) await client.graders.configure({ ...ids, ...settings });
    return (await client.graders.get(ids)).grader;
  },
  show: (grader) => `Changed "${grader.name}".\n${graderText(grader)}`,
});
