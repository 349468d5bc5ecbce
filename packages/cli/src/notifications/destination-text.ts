import { Flags } from "@oclif/core";
import type { Destination } from "@svc/contract";
import { EVENT_TYPES } from "@svc/contract/constants";
import { repeatedFlag } from "../flags.ts";
import { usage } from "../refusal.ts";
import { counted, facts, paint } from "../terminal/output.ts";
import { askSecret } from "../terminal/prompt.ts";
import { ago } from "../terminal/times.ts";

const eventOptions = {
  options: EVENT_TYPES,
  multiple: true,
  multipleNonGreedy: true,
  helpValue: "<type>",
} as const;

export const eventFlag = () =>
  Flags.option({
    ...eventOptions,
    description: "A type of event that the destination receives. Repeat the flag for several.",
    required: true,
  })();

export const newEventFlag = () =>
  Flags.option({
    ...eventOptions,
    description:
      "A type of event that the destination receives from now on. Repeat the flag for several. `svc destinations create --help` says what each type means.",
  })();

export const agentsFlag = () =>
  repeatedFlag(
    "Name of an agent. The destination then gets events of these agents, and events without an agent. Default: every agent.",
  );

export const addressFlag = () =>
  Flags.string({ description: "Address of a webhook, such as https://example.com/hooks/svc.", helpValue: "<url>" });

export const emailFlag = () =>
  Flags.string({ description: "E-mail address of a member of the organization.", helpValue: "<address>" });

export const quotesFlag = () =>
  Flags.boolean({
    description:
      "Quote the words that decided a failure, read from the conversation when the message is sent. Only for Slack and mail. The words of callers then leave the service.",
    allowNo: true,
  });

/** The address is a secret, because anybody who has it can write to the channel. */
export const askSlackUrl = async (): Promise<string> =>
  process.env.SVC_SLACK_URL ||
  askSecret("Address of Slack's incoming webhook", (url) =>
    /^https?:\/\/./.test(url)
      ? undefined
      : "Slack's address begins with https://hooks.slack.com/. Slack shows it in the settings of an app, under Incoming Webhooks.",
  );

/** The address is a secret, and other users can see command lines. */
export const slackUrlOnCommandLine = () =>
  usage(
    "Slack's address is a secret, and a command line is none. Leave --address out, and send the address as the first line of standard input or as SVC_SLACK_URL.",
  );

export function stateText({ paused, pauseReason, failing, waitingCount, failedCount, lastDeliveredAt }: Destination) {
  const state = paused
    ? pauseReason === "gone"
      ? "gone: the receiver asks for no more events"
      : "paused"
    : failing !== null
      ? `failing since ${ago(failing.since)}`
      : lastDeliveredAt === null
        ? "nothing sent yet"
        : "working";
  return [
    state,
    ...(waitingCount > 0 ? [`${waitingCount} waiting`] : []),
    ...(failedCount > 0 ? [`${failedCount} not sent`] : []),
  ].join(", ");
}

export const destinationText = (destination: Destination): string =>
  `${paint.bold(destination.name)}\n${facts([
    ["Id", destination.id],
    ["Kind", destination.kind],
    ["Address", destination.address],
    ["Events", destination.eventTypes.join("\n")],
    ["Agents", destination.agents.length === 0 ? "every agent" : destination.agents.join("\n")],
    ["Quotes", destination.quotes ? "words of conversations" : undefined],
    ["State", stateText(destination)],
    [
      "Problem",
      destination.failing === null
        ? undefined
        : `${destination.failing.problem} (${counted(destination.failing.failures, "failure")} in a row)`,
    ],
    ["Last sent", destination.lastDeliveredAt === null ? undefined : ago(destination.lastDeliveredAt)],
    ["Next step", nextStep(destination)],
  ])}`;

function nextStep({ id, paused, pauseReason, failing, failedCount }: Destination): string | undefined {
  if (pauseReason === "gone") return `Set another address with \`svc destinations edit ${id}\`, or delete it.`;
  if (paused) return `svc destinations resume ${id}`;
  if (failing !== null) return `Mend the receiver, then see its answer: svc destinations test ${id}`;
  return failedCount > 0 ? `svc destinations send-again ${id} --since 30d` : undefined;
}

export const secretText = (secret: string): string =>
  [
    `Secret  ${secret}`,
    "The service does not show it again. Keep it where the receiver runs, for example as SVC_WEBHOOK_SECRET.",
    "The receiver checks each request with the library standardwebhooks, which exists for Node and Python:",
    "  const event = new Webhook(process.env.SVC_WEBHOOK_SECRET).verify(rawBody, request.headers);",
    '  event = Webhook(os.environ["SVC_WEBHOOK_SECRET"]).verify(raw_body, request.headers)',
  ].join("\n");
