import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, retentionDaysFlag, versionAttributeFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";
import { retentionText } from "../../terminal/retention.ts";

export default command({
  summary: "Edit a project",
  description:
    "Changes only what the flags name. With --retention-days, older conversations are erased for good, beginning one hour after the command.",
  examples: [
    '<%= config.bin %> projects edit "Front desk" --retention-days 90',
    '<%= config.bin %> projects edit "Front desk" --retention-days none',
    '<%= config.bin %> projects edit "Front desk" --version-attribute deployment.version',
  ],
  args: { project: argument("Id or exact name of the project.") },
  flags: {
    name: Flags.string({ description: "New name, unique in the organization." }),
    slug: Flags.string({ description: "New lower-case name for URLs. Older links stop working." }),
    "retention-days": retentionDaysFlag(),
    "version-attribute": versionAttributeFlag(),
  },
  async run({ args, startSession, flags }) {
    const { name, slug, "retention-days": retentionDays, "version-attribute": attribute } = flags;
    if ([name, slug, retentionDays, attribute].every((value) => value === undefined))
      throw usage("Nothing to change. Set --name, --slug, --retention-days or --version-attribute.");
    const session = await startSession();
    const projectId = await idOf(session, "project", args.project);
    const change = {
      name,
      slug,
      retentionDays: retentionDays === "none" ? null : retentionDays,
      versionAttribute: attribute === "none" ? null : attribute,
    };
    return (await session.client.projects.edit({ projectId, ...change })).project;
  },
  show: ({ id, name, slug, retentionDays, versionAttribute }) =>
    `Edited the project "${name}" (${slug}, ${id}). ${retentionText(retentionDays)}${
      versionAttribute === null
        ? ""
        : ` The attribute ${versionAttribute} has the version of its agents, in conversations with spans from now on; \`svc traces remap --all\` looks for it in the others too.`
    }`,
});
