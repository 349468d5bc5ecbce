import type { DestinationKind } from "@svc/contract/constants";
import type { Destination } from "@svc/sdk";

export const KINDS: Record<DestinationKind, { name: string; new: string; help: string }> = {
  webhook: { name: "Webhook", new: "New webhook", help: "A program of yours gets each event with POST, signed." },
  slack: { name: "Slack", new: "New channel in Slack", help: "The channel gets a message with a link for each event." },
  email: {
    name: "Mail",
    new: "New mail",
    help: "A member gets the end of a run and alerts at once, and everything else in a digest every 15 minutes.",
  },
};

export type StateName = "working" | "new" | "waiting" | "failing" | "paused" | "gone";

export function stateOf({ paused, pauseReason, failing, waitingCount, lastDeliveredAt }: Destination): StateName {
  if (paused) return pauseReason === "gone" ? "gone" : "paused";
  if (failing !== null) return "failing";
  if (waitingCount > 0) return "waiting";
  return lastDeliveredAt === null ? "new" : "working";
}

export function freeName(kind: DestinationKind, taken: readonly string[]): string {
  const { name } = KINDS[kind];
  for (let count = 1; ; count++) {
    const wanted = count === 1 ? name : `${name} ${count}`;
    if (!taken.includes(wanted)) return wanted;
  }
}

/** Code with which a receiver checks the signature of an event. */
export const VERIFYING = {
  node: `import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SVC_WEBHOOK_SECRET);
// rawBody: the text of the request, before a parser has changed it
const event = webhook.verify(rawBody, request.headers);
console.log(event.type, event.link);`,
  python: `import os
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["SVC_WEBHOOK_SECRET"])
# raw_body: the text of the request, before a parser has changed it
event = webhook.verify(raw_body, request.headers)
print(event["type"], event["link"])`,
};
