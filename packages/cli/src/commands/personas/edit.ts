import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, expectedVersionFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { contentFlags, readContent, changesContent, unsetFlag, versionText } from "../../authoring/persona-content.ts";
import { usage } from "../../refusal.ts";
import { explainConflict } from "../../authoring/stale-edit.ts";

export default command({
  summary: "Edit a persona",
  description:
    "Changes only what the flags name. A change of the content creates the next version. With --expected-version, the edit is refused if someone edited the persona meanwhile.",
  examples: [
    '<%= config.bin %> personas edit "Night nurse" --patience medium --unset pace',
    '<%= config.bin %> personas edit "Night nurse" --name "Day nurse"',
  ],
  args: { persona: argument("Id or exact name of the persona.") },
  flags: {
    name: Flags.string({ description: "New name, unique among the personas of the project." }),
    ...contentFlags(),
    unset: unsetFlag(),
    "expected-version": expectedVersionFlag("prsv"),
  },
  async run({ args, startSession, flags }) {
    const hasContent = changesContent(flags);
    if (flags.name === undefined && !hasContent) {
      throw usage("Nothing to change. Set --name, --from, --unset, or an option of the content such as --pace.");
    }
    const session = await startSession();
    const { client, projectId } = session;
    const personaId = await idOf(session, "persona", args.persona);
    const { persona } = await client.personas.get({ personaId, projectId });
    const content = hasContent ? await readContent(flags, persona) : {};
    const expectedVersionId = flags["expected-version"] ?? persona.versionId;
    const change = { ...content, ...(flags.name !== undefined && { name: flags.name }) };
    try {
      return (await client.personas.edit({ personaId, projectId, expectedVersionId, ...change })).persona;
    } catch (error) {
      throw explainConflict(error, "persona", personaId);
    }
  },
  show: (persona) => `Edited ${versionText(persona)}`,
});
