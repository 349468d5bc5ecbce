import { Args } from "@oclif/core";
import { command } from "../../command.ts";
import type { Session } from "../../session/session.ts";
import { idOf } from "../../look-up.ts";
import { Refusal } from "../../refusal.ts";

export default command({
  summary: "Show or set the default persona of the project",
  description: "The default persona calls in tests that list no persona.",
  examples: ["<%= config.bin %> personas default", '<%= config.bin %> personas default "Night nurse"'],
  args: { persona: Args.string({ description: "Id or exact name of the new default persona.", ignoreStdin: true }) },
  async run({ args, startSession }) {
    const session = await startSession();
    if (args.persona === undefined) return defaultPersona(session);
    const personaId = await idOf(session, "persona", args.persona);
    return (await session.client.personas.makeDefault({ personaId, projectId: session.projectId })).persona;
  },
  show: ({ id, name }) => `"${name}" (${id}) calls in tests that list no persona.`,
});

async function defaultPersona({ client, projectId, pages }: Session) {
  const personas = pages(client.personas.list, { projectId, pageSize: 200 });
  for await (const persona of personas) if (persona.isDefault) return persona;
  throw new Refusal("not_found", "The default persona changed during the request. Run the command again.");
}
