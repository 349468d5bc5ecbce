import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { projectIdOf } from "../../names.ts";

export default command({
  description:
    "Prints the secret, alone, and never again. With --project the key is restricted to that project, as trace ingest needs.",
  examples: [
    "<%= config.bin %> keys create --name laptop",
    'export SVC_API_KEY=$(<%= config.bin %> keys create --name worker --project "Front desk")',
  ],
  flags: { name: Flags.string({ description: "A label." }) },
  async run({ connect, flags, note }) {
    const connection = await connect();
    const project_id = flags.project === undefined ? undefined : await projectIdOf(connection, flags.project);
    const key = await connection.client.keys.create({ name: flags.name, project_id });
    if (!flags.json)
      note(
        `Created ${key.id} (${key.scope === "project" ? `project ${flags.project}` : "the whole organization"}). Keep the secret: it is not shown again.`,
      );
    return key;
  },
  show: ({ secret }) => secret,
});
