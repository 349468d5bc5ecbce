import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { secretText } from "../../notifications/destination-text.ts";

export default command({
  summary: "Make a new secret for a webhook",
  description:
    "For 24 hours each request has two signatures, one with the new and one with the former secret, so that you can change the receiver's secret without an interruption. Prints the new secret once.",
  examples: ["<%= config.bin %> destinations rotate-secret CI"],
  args: { destination: argument("Id or exact name of the destination.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const destinationId = await idOf(session, "destination", args.destination);
    const answer = await session.client.destinations.rotateSecret({ destinationId, projectId: session.projectId });
    return { ...answer.destination, secret: answer.secret };
  },
  show: ({ name, secret }) =>
    `"${name}" has a new secret. The former one signs for 24 hours more.\n\n${secretText(secret)}`,
});
