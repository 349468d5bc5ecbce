import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { stateText } from "../../notifications/destination-text.ts";

export default command({
  summary: "Send events to a paused destination again",
  description: "Use this command also after the receiver answered 410. Waiting events are sent at once.",
  examples: ["<%= config.bin %> destinations resume CI"],
  args: { destination: argument("Id or exact name of the destination.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const destinationId = await idOf(session, "destination", args.destination);
    const edit = { destinationId, projectId: session.projectId, paused: false };
    return (await session.client.destinations.edit(edit)).destination;
  },
  show: (destination) => `Resumed "${destination.name}": ${stateText(destination)}.`,
});
