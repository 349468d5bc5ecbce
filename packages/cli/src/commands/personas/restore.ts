import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { personaIdOf } from "../../names.ts";

export default command({
  examples: [
    '<%= config.bin %> personas restore "Night nurse"',
    '<%= config.bin %> personas restore prs_06ft2v8xk3n9q4w7r1y5z0abcd --name "Night nurse 2"',
  ],
  args: { persona: argument("Id, or its name among the archived ones.") },
  flags: { name: Flags.string({ description: "Another name, when its own was taken meanwhile." }) },
  async run({ args, connect, flags: { name } }) {
    const connection = await connect();
    const { client, project: projectId } = connection;
    const personaId = await personaIdOf(connection, args.persona, { archived: true });
    return (await client.personas.restore({ personaId, projectId, ...(name !== undefined && { name }) })).persona;
  },
  show: ({ id, name }) => `The persona "${name}" (${id}) is live.`,
});
