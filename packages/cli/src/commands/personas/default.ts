import { Args } from "@oclif/core";
import { command } from "../../command.ts";
import type { Connection } from "../../connection.ts";
import { personaIdOf } from "../../names.ts";
import type { Persona } from "../../persona-content.ts";
import { Refusal } from "../../refusal.ts";

export default command({
  description: "The default persona calls in tests that name none.",
  examples: ["<%= config.bin %> personas default", '<%= config.bin %> personas default "Night nurse"'],
  args: { persona: Args.string({ description: "Name or id of the one to choose.", ignoreStdin: true }) },
  async run({ args, connect }) {
    const connection = await connect();
    if (args.persona === undefined) return defaultOf(connection);
    const personaId = await personaIdOf(connection, args.persona);
    return (await connection.client.personas.makeDefault({ personaId, projectId: connection.project })).persona;
  },
  show: ({ id, name }) => `"${name}" (${id}) calls in tests that name no persona.`,
});

async function defaultOf({ client, project: projectId, tokenPages }: Connection): Promise<Persona> {
  const personas = tokenPages("personas", (pageToken) => client.personas.list({ projectId, pageToken, pageSize: 200 }));
  for await (const persona of personas) if (persona.isDefault) return persona;
  throw new Refusal("not_found", "The default persona was just replaced: ask again.");
}
