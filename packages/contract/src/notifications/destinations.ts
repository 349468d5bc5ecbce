import { z } from "zod";
import { id, idInput, timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { writesProject } from "../core/access.ts";
import { projectId } from "../core/selection.ts";
import { email, nameText, textUpTo } from "../core/texts.ts";
import { DELIVERY_STATES, type DeliveryState, DESTINATION_KINDS } from "./destination-words.ts";
import { eventType } from "./events.ts";
import { EVENT_MEANINGS } from "./event-types.ts";

const kind = z.enum(DESTINATION_KINDS).meta({
  description:
    "`webhook`: each event is sent with POST, signed as the specification Standard Webhooks says. `slack`: a message through an incoming webhook of Slack. `email`: a mail to a member of the organization.",
});
const agents = z.array(textUpTo(LIMITS.nameCharacters)).max(LIMITS.agentsOfFilter).meta({
  description:
    "Names of agents. The destination then receives events of these agents, and events without an agent. Empty: events of every agent.",
});
const eventTypes = z
  .array(eventType)
  .min(1)
  .meta({ description: "The types of events that the destination receives." });
const quotes = z.boolean().meta({
  description:
    "Whether messages quote the words that decided a failure: at most 300 characters of a conversation, read when the message is sent. Only for `slack` and `email`. The words of callers then leave the service.",
});

/** Receiver of a project's events: a webhook, a Slack channel or a person. */
export const Destination = z
  .strictObject({
    id: id("dst"),
    projectId: id("prj"),
    name: z.string(),
    kind,
    address: z.string().meta({
      description:
        "The address of a webhook, the end of Slack's address (the rest of it is a secret), or an e-mail address.",
    }),
    eventTypes,
    agents,
    quotes,
    paused: z.boolean(),
    pauseReason: z.enum(["person", "gone"]).nullable().meta({
      description:
        "`person`: a person paused the destination. `gone`: the receiver answered 410, which asks for no more events. Null while the destination is not paused.",
    }),
    failing: z
      .strictObject({ since: timestamp(), failures: count("Failed attempts in a row."), problem: z.string() })
      .nullable()
      .meta({ description: "Why the last attempts failed; null while they succeed." }),
    waitingCount: count("Events that wait to be sent."),
    failedCount: count("Events of the last 30 days that could not be sent."),
    lastDeliveredAt: timestamp().nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Destination" });
export type Destination = z.infer<typeof Destination>;

const state = z.enum(Object.keys(DELIVERY_STATES) as [DeliveryState, ...DeliveryState[]]).meta({
  description: Object.entries(DELIVERY_STATES)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join(" "),
});

/** Delivery of one event to one destination. */
export const Delivery = z
  .strictObject({
    id: id("dlv"),
    eventId: id("evt"),
    eventType: z.enum(Object.keys(EVENT_MEANINGS) as [keyof typeof EVENT_MEANINGS]),
    state,
    attempts: count("Number of attempts."),
    status: z.int().nullable().meta({ description: "HTTP status of the last answer; null without an answer." }),
    problem: z.string().nullable().meta({ description: "Why the last attempt failed; null when none failed." }),
    createdAt: timestamp(),
    nextAttemptAt: timestamp().nullable().meta({ description: "Null unless the delivery waits." }),
    endedAt: timestamp().nullable().meta({
      description:
        "Time at which the event was delivered, or at which the last attempt failed; null while the delivery waits.",
    }),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

const secret = z.string().nullable().meta({
  description:
    "The secret of a webhook's signatures, `whsec_…`. No later answer contains it. Null for other kinds of destinations.",
});

const address = {
  url: z
    .string()
    .max(LIMITS.destinationUrlCharacters)
    .optional()
    .meta({ description: "URL of a webhook or of an incoming webhook of Slack, with `https://` or `http://`." }),
  email: email.optional().meta({ description: "Address of a member of the organization, for `email`." }),
};

const all = {
  tag: "Notifications",
  path: "/v1/destinations",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ destination: Destination }),
} as const;
const one = {
  ...all,
  path: "/v1/destinations/{destinationId}",
  resource: "destination",
  params: z.strictObject({ destinationId: idInput("dst") }),
} as const;

/** Destinations of a project's events. */
export const destinations = {
  /** Lists the project's destinations, newest first. */
  list: listOperation({ ...all, summary: "List destinations", items: { destinations: Destination } }),

  /** Creates a destination. For a webhook, only this answer contains the secret of its signatures. */
  create: createOperation({
    ...all,
    summary: "Create a destination",
    description:
      "Send `url` for a webhook and for Slack, and `email` for mail. For a webhook, only this answer contains the secret with which the receiver checks signatures.",
    body: z.strictObject({
      name: nameText(),
      kind,
      ...address,
      eventTypes,
      agents: agents.default([]),
      quotes: quotes.optional(),
    }),
    auditedMembers: ["quotes"],
    answer: z.strictObject({ destination: Destination, secret }),
    errors: ["name_taken"],
  }),

  /** Returns a destination. */
  get: getOperation({ ...one, summary: "Show a destination" }),

  /** Changes the given fields of a destination. `paused: false` also ends the pause after a receiver's 410. */
  edit: editOperation({
    ...one,
    summary: "Edit a destination",
    description:
      "Changes the given fields. A paused destination gets no new events; deliveries that already wait are sent when the pause ends. `paused: false` also ends the pause after a receiver's 410.",
    body: z.strictObject({
      name: nameText().optional(),
      ...address,
      eventTypes: eventTypes.optional(),
      agents: agents.optional(),
      quotes: quotes.optional(),
      paused: z.boolean().optional(),
    }),
    auditedMembers: ["quotes"],
    errors: ["name_taken"],
  }),

  /** Deletes a destination with its deliveries. */
  delete: deleteOperation({ ...one, summary: "Delete a destination" }),

  /** Sends a `destination.test` event once, even to a paused destination. Returns the outcome. */
  test: {
    ...writesProject,
    ...one,
    method: "POST",
    path: "/v1/destinations/{destinationId}/test",
    summary: "Test a destination",
    description: "Sends an event `destination.test` now, once, even to a paused destination.",
    status: 200,
    answer: z.strictObject({
      delivered: z.boolean(),
      status: z.int().nullable().meta({ description: "HTTP status of the receiver's answer; null without an answer." }),
      problem: z
        .string()
        .nullable()
        .meta({ description: "Why the delivery failed, and what to do; null when the event was delivered." }),
      durationMs: z.number().min(0),
    }),
  } as const,

  /** Creates a new secret for a webhook. For 24 hours, each request has two signatures, by the former and by the new secret. */
  rotateSecret: {
    ...writesProject,
    ...one,
    method: "POST",
    path: "/v1/destinations/{destinationId}/rotate-secret",
    summary: "Make a new secret for a webhook",
    description:
      "For 24 hours each request has two signatures, by the old and by the new secret, so that the receiver can replace the secret without rejecting an event.",
    status: 200,
    answer: z.strictObject({ destination: Destination, secret: z.string() }),
    errors: ["unprocessable"],
  } as const,

  /** Lists the destination's deliveries of the last 30 days, newest first. */
  deliveries: listOperation({
    tag: "Notifications",
    resource: "destination",
    params: one.params,
    path: "/v1/destinations/{destinationId}/deliveries",
    summary: "List the deliveries of a destination",
    filters: { state: state.optional() },
    items: { deliveries: Delivery },
  }),

  /**
   * Sends failed deliveries again: the deliveries in `deliveryIds`, or all deliveries that were created at or after `since`. Returns the
   * number of deliveries.
   */
  sendAgain: {
    ...writesProject,
    ...one,
    method: "POST",
    path: "/v1/destinations/{destinationId}/send-again",
    summary: "Send failed deliveries again",
    description:
      "Send `deliveryIds`; or send `since`, which selects all failed deliveries that were created at or after this time.",
    body: z.strictObject({
      deliveryIds: z.array(idInput("dlv")).min(1).max(LIMITS.pageSizeMax).optional(),
      since: timestampInput.optional(),
    }),
    status: 200,
    answer: z.strictObject({ waiting: count("Number of deliveries that are sent again.") }),
  } as const,
};
