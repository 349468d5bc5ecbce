import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { versionText } from "../../authoring/persona-content.ts";

export default command({
  summary: "Copy a persona into the project",
  description:
    "Creates a persona of the project with the current content of another persona. The other persona may ship with the service.",
  examples: ['<%= config.bin %> personas fork angry --name "Angry regular"'],
  args: { persona: argument("Id or exact name of the persona to copy.") },
  flags: {
    name: Flags.string({
      description: "Name of the new persona, unique among the personas of the project.",
      required: true,
    }),
  },
  async run({ args, startSession, flags: { name } }) {
    const session = await startSession();
    const personaId = await idOf(session, "persona", args.persona);
    return (await session.client.personas.fork({ personaId, name, projectId: session.projectId })).persona;
  },
  show: (persona) => `Created ${versionText(persona)}`,
});
