import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import {
  agentsFlag,
  askSlackUrl,
  destinationText,
  emailFlag,
  newEventFlag,
  quotesFlag,
  addressFlag,
} from "../../notifications/destination-text.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Edit a destination",
  description:
    "Changes only what the flags name. --event replaces all types of events, and --agent replaces all agents. --slack-url reads the address of Slack again, as `svc destinations create` does. Events that wait after a failure are sent to a new address at once.",
  examples: [
    "<%= config.bin %> destinations edit CI --address https://example.com/hooks/new",
    "<%= config.bin %> destinations edit Team --event run.completed --event simulation.failed",
    "<%= config.bin %> destinations edit Team --slack-url < slack-url.txt",
  ],
  args: { destination: argument("Id or exact name of the destination.") },
  flags: {
    name: Flags.string({ description: "New name." }),
    address: addressFlag(),
    email: emailFlag(),
    "slack-url": Flags.boolean({ description: "Replace the address of Slack." }),
    event: newEventFlag(),
    agent: agentsFlag(),
    "every-agent": Flags.boolean({ description: "Send events of every agent.", exclusive: ["agent"] }),
    quotes: quotesFlag(),
  },
  async run({ args, startSession, flags: { name, address, email, event, agent, quotes, ...flags } }) {
    const agents = flags["every-agent"] ? [] : agent;
    if ([name, address, email, event, agents, quotes].every((one) => one === undefined) && !flags["slack-url"])
      throw usage(
        "Nothing to change. Set --name, --address, --email, --slack-url, --event, --agent, --every-agent or --quotes.",
      );
    const url = flags["slack-url"] ? await askSlackUrl() : address;
    const session = await startSession();
    const { client, projectId } = session;
    const destinationId = await idOf(session, "destination", args.destination);
    if (
      address !== undefined &&
      (await client.destinations.get({ destinationId, projectId })).destination.kind === "slack"
    )
      throw usage(
        "The address of Slack is a secret, and a command line is none. Set --slack-url in place of --address.",
      );
    const edit = { destinationId, projectId, name, url, email, eventTypes: event, agents, quotes };
    return (await client.destinations.edit(edit)).destination;
  },
  show: (destination) => `Now ${destinationText(destination)}`,
});
