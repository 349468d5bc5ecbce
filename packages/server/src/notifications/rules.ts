import type { Delivery, Destination, DestinationKind, EventType, operations, ProjectEvent } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../base/errors.ts";
import type { Condition } from "../base/conditions.ts";
import { refusalOf } from "../http/refusal.ts";
import { projectUrl, type ProjectAddress } from "../stores/project-address.ts";
import type { DestinationRow, Schema } from "../stores/schema.ts";

export type DeliveryRow = Schema["deliveries"];
export type EventRow = Schema["events"];

type CreateBody = z.output<(typeof operations.destinations.create)["body"]>;
type EditBody = z.output<(typeof operations.destinations.edit)["body"]>;

export type WantedAddress = { url?: string | undefined; email?: string | undefined };

export type DestinationContent = {
  name: string;
  kind: DestinationKind;
  /** URL of a webhook or e-mail address; null for Slack, whose URL is a secret. */
  address: string | null;
  eventTypes: readonly EventType[];
  agents: readonly string[];
  quotes: boolean;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Pauses after the failed attempts of a delivery. They add up to more than a day, so that a receiver can be down for a day without losing
 * events.
 */
const RETRY_MS = [
  5_000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
];

/** Longest pause of a destination. It is short so that the service soon detects the end of an outage. */
const DESTINATION_PAUSE_MS = 10 * MINUTE_MS;

/** Largest random part of a pause, as a share of the pause, so that retries do not all reach a receiver at the same time. */
const JITTER = 0.1;

/**
 * Returns the time of a delivery's next attempt, in Unix milliseconds, after `attempts` failed attempts; undefined when no attempt is left.
 */
export function nextAttemptMs(attempts: number, nowMs: number, random: number, retryAfterMs = 0): number | undefined {
  const pause = RETRY_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.round(nowMs + Math.max(retryAfterMs, pause * (1 + JITTER * random)));
}

/** Returns the time, in Unix milliseconds, until which the service sends nothing to a destination after `failures` failures in a row. */
export const pausedUntilMs = (failures: number, nowMs: number, retryAfterMs = 0): number =>
  nowMs + Math.max(retryAfterMs, Math.min(RETRY_MS[failures - 1] ?? DESTINATION_PAUSE_MS, DESTINATION_PAUSE_MS));

/** Returns the content of a new destination, and separately Slack's URL, which is stored as a secret. */
export function decideCreate(body: CreateBody): { content: DestinationContent; slackUrl: string | undefined } {
  const { name, kind, eventTypes, agents, quotes = false } = body;
  requireQuotable(kind, quotes);
  const { address, slackUrl } = decideAddress(kind, body);
  if (address === null && slackUrl === undefined) throw refused(kind === "email" ? "email" : "url", MISSING[kind]);
  return { content: { name, kind, address, eventTypes: unique(eventTypes), agents: unique(agents), quotes }, slackUrl };
}

export function decideEdit(
  row: DestinationRow,
  edit: EditBody,
): { content: DestinationContent; slackUrl: string | undefined; pauseReason: DestinationRow["pause_reason"] } {
  const { address, slackUrl } = decideAddress(row.kind, edit);
  const { paused, quotes = row.quotes === 1 } = edit;
  requireQuotable(row.kind, quotes);
  return {
    content: {
      name: edit.name ?? row.name,
      kind: row.kind,
      address: address ?? row.address,
      eventTypes: edit.eventTypes ? unique(edit.eventTypes) : eventTypesOf(row),
      agents: edit.agents ? unique(edit.agents) : agentsOf(row),
      quotes,
    },
    slackUrl,
    pauseReason: paused === undefined ? row.pause_reason : paused ? (row.pause_reason ?? "person") : null,
  };
}

const MISSING: Record<DestinationKind, string> = {
  webhook: "Send the address of the webhook, such as https://example.com/hooks/svc.",
  slack: "Send the address of Slack's incoming webhook, which begins with https://hooks.slack.com/.",
  email: "Send the e-mail address of a member of the organization.",
};

function decideAddress(kind: DestinationKind, { url, email }: WantedAddress) {
  if (kind === "email") {
    if (url !== undefined) throw refused("url", "A destination for mail has an `email` and no `url`.");
    return { address: email ?? null, slackUrl: undefined };
  }
  if (email !== undefined) throw refused("email", `A destination for ${kind} has a \`url\` and no \`email\`.`);
  if (url === undefined) return { address: null, slackUrl: undefined };
  const parsed = URL.parse(url.trim());
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw refused("url", "Send an address that begins with https:// or http://.");
  if (parsed.username !== "" || parsed.password !== "")
    throw refused("url", "Remove the user name and password from the address. Receivers check the signature instead.");
  parsed.hash = "";
  return kind === "slack" ? { address: null, slackUrl: parsed.href } : { address: parsed.href, slackUrl: undefined };
}

/** Throws for a webhook: its deliveries are exactly the stored events, which contain no words of conversations. */
function requireQuotable(kind: DestinationKind, quotes: boolean): void {
  if (quotes && kind === "webhook")
    throw refused(
      "quotes",
      "A webhook gets events without words of conversations. Only Slack and mail can quote them.",
    );
}

const unique = <T extends string>(texts: readonly T[]): T[] => [...new Set(texts)];

const refused = (path: string, message: string) => refusalOf("unprocessable", [{ path, message }]);

/** Throws when the service sends no mail, or when the address belongs to nobody in the organization. */
export function requireMailTo(
  address: string,
  { sendsMail, isMember }: { sendsMail: boolean; isMember: boolean },
): void {
  if (!sendsMail)
    throw new AppError(
      "unprocessable",
      "This service sends no mail. Ask its operator to set SVC_SMTP_URL and SVC_MAIL_FROM, or choose a webhook or Slack.",
    );
  if (!isMember)
    throw refused(
      "email",
      `"${address}" is no member of the organization. Invite the person first: mail goes to members only.`,
    );
}

export function requireOneChoice({ deliveryIds, since }: { deliveryIds?: unknown; since?: unknown }): void {
  if ((deliveryIds === undefined) === (since === undefined))
    throw new AppError("unprocessable", "Send either `deliveryIds` or `since`.");
}

const eventTypesOf = (row: Pick<DestinationRow, "event_types">) => JSON.parse(row.event_types) as EventTypes;
const agentsOf = (row: Pick<DestinationRow, "agents">) => JSON.parse(row.agents) as string[];
type EventTypes = Destination["eventTypes"];

type DestinationFacts = { hint: string | null; waiting: number; failed: number };

export function presentDestination(row: DestinationRow, { hint, waiting, failed }: DestinationFacts): Destination {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    kind: row.kind,
    address: row.address ?? `…${hint ?? ""}`,
    eventTypes: eventTypesOf(row),
    agents: agentsOf(row),
    quotes: row.quotes === 1,
    paused: row.pause_reason !== null,
    pauseReason: row.pause_reason,
    failing:
      row.failing_since === null
        ? null
        : { since: row.failing_since, failures: row.failures, problem: row.problem ?? "" },
    waitingCount: waiting,
    failedCount: failed,
    lastDeliveredAt: row.last_delivered_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const presentDelivery = (row: DeliveryRow & { type: EventType }): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  eventType: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  problem: row.problem,
  createdAt: row.created_at,
  nextAttemptAt: row.state === "waiting" ? new Date(row.next_ms).toISOString() : null,
  endedAt: row.ended_at,
});

export function presentEvent(
  row: Pick<EventRow, "id" | "type" | "created_at" | "project_id" | "about" | "data">,
  address: ProjectAddress,
): ProjectEvent {
  const data = JSON.parse(row.data) as ProjectEvent["data"];
  const event = { id: row.id, type: row.type, timestamp: row.created_at, projectId: row.project_id, data };
  return { ...event, link: linkOf(event as UnlinkedEvent, address) } as ProjectEvent;
}

type UnlinkedEvent = ProjectEvent extends infer E ? (E extends unknown ? Omit<E, "link"> : never) : never;

function linkOf(event: UnlinkedEvent, address: ProjectAddress): string {
  const organization = `${address.serviceUrl}/o/${address.organizationId}`;
  const project = projectUrl(address);
  switch (event.type) {
    case "run.completed":
      return `${project}/runs/${event.data.run.id}`;
    case "simulation.failed":
      return `${project}/runs/${event.data.simulation.runId}/simulations/${event.data.simulation.id}`;
    case "conversation.failed":
      return `${project}/conversations/${event.data.conversation.traceId}`;
    case "import.failed":
    case "import.resolved":
      return `${project}/monitoring`;
    case "alert.raised":
    case "alert.cleared":
    case "alert.reminded":
      return `${project}/alerts/${event.data.alert.id}`;
    case "schedule.missed":
      return `${project}/schedules/${event.data.schedule.id}`;
    case "group.opened":
    case "group.regressed":
      return `${project}/groups/${event.data.group.id}`;
    case "key.created":
      return `${organization}/settings/keys`;
    case "member.changed":
      return `${organization}/settings/members`;
    case "destination.test":
      return `${project}/notifications`;
  }
}

export type FailingDestination = DestinationRow & { organization_id: string; failed: number };

/** Number of failures in a row from which the service reports a condition about a destination. */
export const FAILURES_OF_CONDITION = 3;

export const conditionsOfFailing = (rows: readonly FailingDestination[], now: Date): Condition[] =>
  rows.map((row) => ({
    code: row.pause_reason === "gone" ? "destination_gone" : "destination_failing",
    organizationId: row.organization_id,
    projectId: row.project_id,
    degrades: false,
    needsAction: true,
    message:
      row.pause_reason === "gone"
        ? `The destination "${row.name}" answered 410, which asks for no more events. It is paused.`
        : row.failures >= FAILURES_OF_CONDITION
          ? `The destination "${row.name}" does not accept events. ${row.problem ?? "The reason is unknown."}`
          : `${row.failed} ${row.failed === 1 ? "event" : "events"} could not be sent to the destination "${row.name}".`,
    remedy:
      row.pause_reason === "gone"
        ? "Change its address and resume it, or delete it."
        : "Mend the receiver or the address, test the destination, then send the failed events again.",
    count: Math.max(row.failed, row.failures),
    since: row.failing_since ?? row.updated_at,
    at: now.toISOString(),
  }));
