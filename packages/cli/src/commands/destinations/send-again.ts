import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, repeatedFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";
import { counted } from "../../terminal/output.ts";
import { instant } from "../../terminal/times.ts";

export default command({
  summary: "Send events again that could not be sent",
  description: "Sends the named deliveries again, or all failed deliveries of events since a time.",
  examples: [
    "<%= config.bin %> destinations send-again CI --since 24h",
    "<%= config.bin %> destinations send-again CI --delivery dlv_06ft2v8xk3n9q4w7r1y5z0abcd",
  ],
  args: { destination: argument("Id or exact name of the destination.") },
  flags: {
    delivery: repeatedFlag("Id of a failed delivery, from `svc destinations deliveries`.", "<id>"),
    since: Flags.string({
      description:
        "All failed deliveries of events since this time: 30m, 24h or 7d ago, or a time such as 2026-11-21T09:30:00Z.",
      helpValue: "<time>",
      exclusive: ["delivery"],
    }),
  },
  async run({ args, startSession, flags }) {
    if (flags.delivery === undefined && flags.since === undefined)
      throw usage("Nothing to send. Set --since with a time such as 24h, or --delivery with an id.");
    const since = flags.since === undefined ? undefined : instant(flags.since);
    const session = await startSession();
    const { client, projectId } = session;
    const destinationId = await idOf(session, "destination", args.destination);
    const answer = await client.destinations.sendAgain({
      destinationId,
      projectId,
      deliveryIds: flags.delivery,
      since,
    });
    const { destination } = await client.destinations.get({ destinationId, projectId });
    return { ...answer, destination };
  },
  show: ({ waiting, destination }) =>
    waiting === 0
      ? `No such delivery is failed, so nothing is sent again. See \`svc destinations deliveries ${destination.id}\`.`
      : destination.paused
        ? `${counted(waiting, "event")} wait. "${destination.name}" is paused; they are sent after: svc destinations resume ${destination.id}`
        : `${counted(waiting, "event")} ${waiting === 1 ? "is" : "are"} sent again. To follow: svc destinations deliveries ${destination.id}`,
});
