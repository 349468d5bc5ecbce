import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Archive a persona",
  description: "Tests that use the persona keep it. No further test can use it.",
  examples: ['<%= config.bin %> personas archive "Night nurse"'],
  args: { persona: argument("Id or exact name of the persona.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const personaId = await idOf(session, "persona", args.persona);
    return (await session.client.personas.archive({ personaId, projectId: session.projectId })).persona;
  },
  show: ({ id, name }) => `Archived the persona "${name}" (${id}). To restore it: svc personas restore ${id}`,
});
