import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { secretText } from "../../notifications/destination-text.ts";

export default command({
  summary: "Make a new secret for a webhook",
  description:
    "For 24 hours each request has two signatures, by the new and by the former secret, so that the receiver can change over without a gap. Prints the new secret once.",
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
