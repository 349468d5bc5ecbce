import { Flags } from "@oclif/core";
import { command } from "../../command.ts";

export default command({
  summary: "Create a project",
  examples: ['<%= config.bin %> projects create --name "Front desk"'],
  flags: {
    name: Flags.string({ description: "Name of the project, unique in the organization.", required: true }),
    slug: Flags.string({
      description: "Lower-case name for URLs, unique in the organization. Default: derived from the name.",
    }),
  },
  async run({ startSession, flags }) {
    const { client } = await startSession();
    return (await client.projects.create({ name: flags.name, slug: flags.slug })).project;
  },
  show: ({ id, name, slug }) => `Created the project "${name}" (${slug}, ${id}).`,
});
