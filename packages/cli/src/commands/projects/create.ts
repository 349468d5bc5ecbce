import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { retentionDaysFlag, versionAttributeFlag } from "../../flags.ts";

export default command({
  summary: "Create a project",
  examples: ['<%= config.bin %> projects create --name "Front desk"'],
  flags: {
    name: Flags.string({ description: "Name of the project, unique in the organization.", required: true }),
    slug: Flags.string({
      description: "Lower-case name for URLs, unique in the organization. Default: derived from the name.",
    }),
    "retention-days": retentionDaysFlag(),
    "version-attribute": versionAttributeFlag(),
  },
  async run({ startSession, flags }) {
    const { client } = await startSession();
    const { name, slug, "retention-days": retentionDays, "version-attribute": attribute } = flags;
    const days = retentionDays === "none" ? null : retentionDays;
    const versionAttribute = attribute === "none" ? null : attribute;
    return (await client.projects.create({ name, slug, retentionDays: days, versionAttribute })).project;
  },
  show: ({ id, name, slug }) => `Created the project "${name}" (${slug}, ${id}).`,
});
