import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { counted } from "../../terminal/output.ts";

export default command({
  summary: "Delete a destination",
  description:
    "The destination gets no more events, and its deliveries are deleted. The events themselves stay. Asks for confirmation.",
  examples: ["<%= config.bin %> destinations delete CI --yes"],
  args: { destination: argument("Id or exact name of the destination.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const destinationId = await idOf(session, "destination", invocation.args.destination);
    const { destination } = await client.destinations.get({ destinationId, projectId });
    const lost = destination.waitingCount + destination.failedCount;
    await invocation.confirm(
      `Delete the destination "${destination.name}"?${lost === 0 ? "" : ` It never gets ${counted(lost, "event")} that were not sent yet.`}`,
    );
    await client.destinations.delete({ destinationId, projectId });
    return { deleted: destination };
  },
  show: ({ deleted }) => `Deleted the destination "${deleted.name}" (${deleted.id}).`,
});
