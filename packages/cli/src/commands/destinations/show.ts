import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { destinationText } from "../../notifications/destination-text.ts";

export default command({
  summary: "Show a destination: what it receives, and whether it works",
  examples: ["<%= config.bin %> destinations show CI"],
  args: { destination: argument("Id or exact name of the destination.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const destinationId = await idOf(session, "destination", args.destination);
    return (await session.client.destinations.get({ destinationId, projectId: session.projectId })).destination;
  },
  show: destinationText,
});
