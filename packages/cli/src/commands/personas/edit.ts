import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { personaIdOf } from "../../names.ts";
import { contentFlags, contentGiven, givesContent, unsetFlag, versionText } from "../../persona-content.ts";
import { usage } from "../../refusal.ts";
import { explainStale } from "../../stale-edit.ts";

export default command({
  description:
    "Changes what is given and keeps the rest; a change of content makes the next version. With --expected-version the edit is refused when someone was faster.",
  examples: [
    '<%= config.bin %> personas edit "Night nurse" --patience medium --unset pace',
    '<%= config.bin %> personas edit "Night nurse" --name "Day nurse"',
  ],
  args: { persona: argument("Name or id.") },
  flags: {
    name: Flags.string({ description: "Unique among the project's personas." }),
    ...contentFlags(),
    unset: unsetFlag(),
    "expected-version": Flags.string({
      description: "Id of the version that the edit builds on; default: the current one.",
      helpValue: "<prsv_…>",
    }),
  },
  async run({ args, connect, flags }) {
    const changesContent = givesContent(flags);
    if (flags.name === undefined && !changesContent) {
      throw usage("Name what to change: --name, --from, --unset, or an option of the content such as --pace.");
    }
    const connection = await connect();
    const { client, project: projectId } = connection;
    const personaId = await personaIdOf(connection, args.persona);
    const { persona } = await client.personas.get({ personaId, projectId });
    const content = changesContent ? await contentGiven(flags, persona) : {};
    const expectedVersionId = flags["expected-version"] ?? persona.versionId;
    const change = { ...content, ...(flags.name !== undefined && { name: flags.name }) };
    try {
      return (await client.personas.edit({ personaId, projectId, expectedVersionId, ...change })).persona;
    } catch (error) {
      throw explainStale(error, "persona", personaId);
    }
  },
  show: (persona) => `Now ${versionText(persona)}`,
});
