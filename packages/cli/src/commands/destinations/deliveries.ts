import { Flags } from "@oclif/core";
import { DELIVERY_STATES, type DeliveryState } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument, limitFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago, moment } from "../../terminal/times.ts";

const states = Object.entries(DELIVERY_STATES).map(([name, meaning]) => `${name}: ${meaning}`);

export default command({
  summary: "List the events of the last 30 days on their way to a destination, newest first",
  description: `The states are: ${states.join(" ")}`,
  examples: [
    "<%= config.bin %> destinations deliveries CI",
    "<%= config.bin %> destinations deliveries CI --state failed",
  ],
  args: { destination: argument("Id or exact name of the destination.") },
  flags: {
    state: Flags.option({
      options: Object.keys(DELIVERY_STATES) as DeliveryState[],
      description: "Only deliveries in this state.",
    })(),
    limit: limitFlag(),
  },
  async run({ args, startSession, flags: { state, limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const destinationId = await idOf(session, "destination", args.destination);
    const wanted = { destinationId, projectId, state, pageSize: pageSizeFor(limit) };
    return take(pages(client.destinations.deliveries, wanted), limit);
  },
  show: (list, { args, flags }) =>
    table(
      list.items,
      [
        { title: "when", cell: ({ createdAt }) => ago(createdAt) },
        { title: "event", cell: ({ eventType }) => eventType },
        { title: "state", cell: ({ state }) => state },
        { title: "attempts", cell: ({ attempts }) => String(attempts), right: true, spare: 2 },
        { title: "status", cell: ({ status }) => (status === null ? "" : String(status)), right: true, spare: 1 },
        {
          title: "next attempt",
          cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? "" : moment(nextAttemptAt)),
          spare: 3,
        },
        { title: "problem", cell: ({ problem }) => problem ?? "", cut: true, spare: 4 },
        { title: "id", cell: ({ id }) => id, whole: true },
      ],
      flags.state === undefined
        ? "No event of the last 30 days was for this destination. To see whether it works: svc destinations test " +
            JSON.stringify(args.destination)
        : `No delivery is ${flags.state}.`,
    ) + moreLine(list),
});
