import { argument, command } from "../../command.ts";
import { personaIdOf } from "../../names.ts";

export default command({
  description: "No test can name it from now on; tests that do keep it.",
  examples: ['<%= config.bin %> personas archive "Night nurse"'],
  args: { persona: argument("Name or id.") },
  async run({ args, connect }) {
    const connection = await connect();
    const personaId = await personaIdOf(connection, args.persona);
    return (await connection.client.personas.archive({ personaId, projectId: connection.project })).persona;
  },
  show: ({ id, name }) => `Archived the persona "${name}" (${id}). Bring it back: svc personas restore ${id}`,
});
