import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Restore an archived persona",
  examples: [
    '<%= config.bin %> personas restore "Night nurse"',
    '<%= config.bin %> personas restore prs_06ft2v8xk3n9q4w7r1y5z0abcd --name "Night nurse 2"',
  ],
  args: { persona: argument("Id or exact name of the archived persona.") },
  flags: { name: Flags.string({ description: "New name, if another persona now has the old name." }) },
  async run({ args, startSession, flags: { name } }) {
    const session = await startSession();
    const { client, projectId } = session;
    const personaId = await idOf(session, "persona", args.persona, { archived: true });
    return (await client.personas.restore({ personaId, projectId, ...(name !== undefined && { name }) })).persona;
  },
  show: ({ id, name }) => `The persona "${name}" (${id}) is live.`,
});
