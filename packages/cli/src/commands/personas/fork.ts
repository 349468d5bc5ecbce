import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { personaIdOf } from "../../names.ts";
import { versionText } from "../../persona-content.ts";

export default command({
  description: "Makes a persona of the project from the present content of another one, shipped or own.",
  examples: ['<%= config.bin %> personas fork angry --name "Angry regular"'],
  args: { persona: argument("Name or id of the one to copy.") },
  flags: { name: Flags.string({ description: "Unique among the project's personas.", required: true }) },
  async run({ args, connect, flags: { name } }) {
    const connection = await connect();
    const personaId = await personaIdOf(connection, args.persona);
    return (await connection.client.personas.fork({ personaId, name, projectId: connection.project })).persona;
  },
  show: (persona) => `Created ${versionText(persona)}`,
});
