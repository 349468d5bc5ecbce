import { Flags } from "@oclif/core";
import { DESTINATION_KINDS, EVENT_MEANINGS, EVENT_TYPES } from "@svc/contract/constants";
import { command } from "../../command.ts";
import {
  agentsFlag,
  askSlackUrl,
  destinationText,
  emailFlag,
  eventFlag,
  quotesFlag,
  secretText,
  slackUrlOnCommandLine,
  addressFlag,
} from "../../notifications/destination-text.ts";
import { usage } from "../../refusal.ts";

const meanings = EVENT_TYPES.map((type) => `${type}: ${EVENT_MEANINGS[type]}`);

export default command({
  summary: "Send the project's events to a webhook, to Slack or by mail",
  description: `Prints the secret of a webhook once; the receiver checks signatures with it. The address of Slack is a secret too: it comes from a hidden prompt, SVC_SLACK_URL or standard input. The types of events are: ${meanings.join(" ")}`,
  examples: [
    "<%= config.bin %> destinations create --name CI --kind webhook --address https://example.com/hooks/svc --event run.completed",
    "<%= config.bin %> destinations create --name Team --kind slack --event run.completed --event conversation.failed < slack-url.txt",
    "<%= config.bin %> destinations create --name Failures --kind slack --event conversation.failed --quotes < slack-url.txt",
    "<%= config.bin %> destinations create --name Ada --kind email --email ada@example.com --event conversation.failed --agent Hotel",
  ],
  flags: {
    name: Flags.string({ description: "Name of the destination, unique in the project.", required: true }),
    kind: Flags.option({
      options: DESTINATION_KINDS,
      description: "How the destination receives events.",
      required: true,
    })(),
    address: addressFlag(),
    email: emailFlag(),
    event: eventFlag(),
    agent: agentsFlag(),
    quotes: quotesFlag(),
  },
  async run({ startSession, flags: { name, kind, address, email, event, agent = [], quotes } }) {
    if (kind === "slack" && address !== undefined) throw slackUrlOnCommandLine();
    if (kind === "webhook" && address === undefined)
      throw usage("A webhook needs an address. Set --address, such as https://example.com/hooks/svc.");
    if (kind === "email" && email === undefined)
      throw usage("Mail needs an address. Set --email to the address of a member of the organization.");
    const url = kind === "slack" ? await askSlackUrl() : address;
    const { client, projectId } = await startSession();
    const wanted = { name, kind, url, email, eventTypes: event, agents: agent, quotes, projectId };
    const { destination, secret } = await client.destinations.create(wanted);
    return { ...destination, secret };
  },
  show: ({ secret, ...destination }) =>
    [
      `Created ${destinationText(destination)}`,
      ...(secret === null ? [] : [secretText(secret)]),
      `To see whether it works: svc destinations test ${destination.id}`,
    ].join("\n\n"),
});
