import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { EXIT } from "../../refusal.ts";
import { paint } from "../../terminal/output.ts";
import { duration } from "../../terminal/times.ts";

export default command({
  summary: "Send a test to a destination, and show how it answered",
  description:
    "Sends an event `destination.test` once, even to a paused destination. The exit code is 1 when the receiver did not accept it.",
  examples: ["<%= config.bin %> destinations test CI"],
  args: { destination: argument("Id or exact name of the destination.") },
  async run({ args, startSession, progress }) {
    const session = await startSession();
    const destinationId = await idOf(session, "destination", args.destination);
    progress.now("Waiting for the receiver…");
    return session.client.destinations.test({ destinationId, projectId: session.projectId });
  },
  show({ delivered, status, problem, durationMs }, { args }) {
    const answer = status === null ? "" : ` with the status ${status}`;
    return delivered
      ? `${paint.green("Accepted")}${answer} after ${duration(durationMs)}.`
      : `${paint.red("Not accepted")} after ${duration(durationMs)}: ${problem ?? "for an unknown reason."} Mend the receiver, or set another address: svc destinations edit "${args.destination}"`;
  },
  exitCode: ({ delivered }) => (delivered ? EXIT.done : EXIT.refused),
});
