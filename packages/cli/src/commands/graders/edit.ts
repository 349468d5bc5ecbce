import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, expectedVersionFlag } from "../../flags.ts";
import {
  DEFINITION_FLAGS,
  definitionFlags,
  definitionOf,
  graderText,
  settingsFlags,
  settingsOf,
} from "../../graders/grader-content.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Edit a grader or its settings",
  description:
    "A new definition creates the next version of the grader. Runs that have started keep the old version. New settings create no version, and graders that ship with the service have settings too. With --expected-version, the edit is refused if someone edited the grader meanwhile.",
  examples: [
    `<%= config.bin %> graders edit "No promises" --check 'never says /guarantee/i'`,
    '<%= config.bin %> graders edit "Unanswered turns" --counts',
    '<%= config.bin %> graders edit "Expected behaviors" --no-enabled',
  ],
  args: { grader: argument("Id or exact name of the grader.") },
  flags: {
    name: Flags.string({ description: "New name, unique among the graders of the project." }),
    ...definitionFlags,
    ...settingsFlags,
    "expected-version": expectedVersionFlag("grdv"),
  },
  async run({ args, startSession, flags }) {
    const { name } = flags;
    const definition = definitionOf(flags);
    const settings = settingsOf(flags);
    const editsGrader = name !== undefined || definition !== undefined;
    if (!editsGrader && settings === undefined) {
      throw usage(`Nothing to change. Set --name, ${DEFINITION_FLAGS}, --enabled, --counts, --scope or --sample-rate.`);
    }
    const session = await startSession();
    const { client, projectId } = session;
    const graderId = await idOf(session, "grader", args.grader);
    const ids = { graderId, projectId };
    if (editsGrader) {
      const expectedVersionId = flags["expected-version"] ?? (await client.graders.get(ids)).grader.versionId;
      await client.graders.edit({ ...ids, expectedVersionId, name, definition });
    }
    if (settings) await client.graders.configure({ ...ids, ...settings });
    return (await client.graders.get(ids)).grader;
  },
  show: (grader) => `Changed "${grader.name}".\n${graderText(grader)}`,
});
