import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { contentFlags, contentGiven, versionText } from "../../persona-content.ts";
import { usage } from "../../refusal.ts";

export default command({
  examples: [
    '<%= config.bin %> personas create --name "Night nurse" --personality "Tired, exact, never small talk." --pace fast --patience low',
    "<%= config.bin %> personas create --from persona.json",
  ],
  flags: {
    name: Flags.string({ description: "Unique among the project's personas; default: the file's." }),
    ...contentFlags(),
  },
  async run({ connect, flags }) {
    const content = await contentGiven(flags, { traits: {}, models: {} });
    const name = flags.name ?? content.name;
    if (name === undefined) throw usage("Name the persona: --name, or a name in the file of --from.");
    const { client, project: projectId } = await connect();
    return (await client.personas.create({ ...content, name, projectId })).persona;
  },
  show: (persona) => `Created ${versionText(persona)}`,
});
