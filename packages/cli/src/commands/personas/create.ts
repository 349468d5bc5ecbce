import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { contentFlags, readContent, versionText } from "../../authoring/persona-content.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Create a persona",
  examples: [
    '<%= config.bin %> personas create --name "Night nurse" --personality "Tired, exact, never small talk." --pace fast --patience low',
    "<%= config.bin %> personas create --from persona.json",
  ],
  flags: {
    name: Flags.string({
      description: "Name of the persona, unique among the personas of the project. Default: the name in the file.",
    }),
    ...contentFlags(),
  },
  async run({ startSession, flags }) {
    const content = await readContent(flags, { traits: {}, models: {} });
    const name = flags.name ?? content.name;
    if (name === undefined)
      throw usage("The persona needs a name. Set --name, or write a name into the file of --from.");
    const { client, projectId } = await startSession();
    return (await client.personas.create({ ...content, name, projectId })).persona;
  },
  show: (persona) => `Created ${versionText(persona)}`,
});
