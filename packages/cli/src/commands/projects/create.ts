import { Flags } from "@oclif/core";
import { command } from "../../command.ts";

export default command({
  examples: ['<%= config.bin %> projects create --name "Front desk"'],
  flags: {
    name: Flags.string({ description: "Unique in the organization.", required: true }),
    slug: Flags.string({ description: "Lower-case name for addresses; default: made from the name." }),
  },
  async run({ connect, flags }) {
    const { client } = await connect();
    return (await client.projects.create({ name: flags.name, slug: flags.slug })).project;
  },
  show: ({ id, name, slug }) => `Created the project "${name}" (${slug}, ${id}).`,
});
