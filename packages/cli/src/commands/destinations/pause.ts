import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Stop sending events to a destination for a while",
  description:
    "Events that happen during the pause are never sent to the destination. Events that already wait are sent after `svc destinations resume`.",
  examples: ["<%= config.bin %> destinations pause CI"],
  args: { destination: argument("Id or exact name of the destination.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const destinationId = await idOf(session, "destination", args.destination);
    const edit = { destinationId, projectId: session.projectId, paused: true };
    return (await session.client.destinations.edit(edit)).destination;
  },
  show: ({ id, name }) => `Paused "${name}". To resume it: svc destinations resume ${id}`,
});
