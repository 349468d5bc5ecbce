import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Create an API key",
  description:
    "Prints only the secret on standard output. The service does not show it again. With --project, the key works in that project only, and trace ingest needs such a key.",
  examples: [
    "<%= config.bin %> keys create --name laptop",
    'export SVC_API_KEY=$(<%= config.bin %> keys create --name worker --project "Front desk")',
  ],
  flags: { name: Flags.string({ description: "Name of the key." }) },
  async run({ startSession, flags, note }) {
    const session = await startSession();
    const project_id = flags.project === undefined ? undefined : await idOf(session, "project", flags.project);
    const key = await session.client.keys.create({ name: flags.name, project_id });
    if (!flags.json)
      note(
        `Created ${key.id} (${key.scope === "project" ? `project ${flags.project}` : "the whole organization"}). Store the secret now: it is not shown again.`,
      );
    return key;
  },
  show: ({ secret }) => secret,
});
