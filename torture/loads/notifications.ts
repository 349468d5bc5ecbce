import type { ServerResponse } from "node:http";
import type { ProjectEvent } from "@svc/contract";
import { createClient, pages } from "@svc/sdk";
import { Webhook } from "standardwebhooks";
import { join } from "../../test/support/people.ts";
import { type Received, type Receiver, startReceiver } from "../../test/support/receiver.ts";
import { type Access, lastingFaults, type Load } from "./load.ts";

/** Share of the requests that the hostile receiver does not accept. */
const HOSTILE_SHARE = 0.3;

/** Each way to refuse an event, with the address to which a redirect leads. */
const REFUSALS: readonly ((response: ServerResponse, canaryUrl: string) => void)[] = [
  (response) => void response.destroy(),
  (response) => void response.writeHead(500).end(),
  (response) => void response.writeHead(429, { "retry-after": "1" }).end(),
  (response, canaryUrl) => void response.writeHead(307, { location: canaryUrl }).end(),
];

/**
 * Causes events with new keys and with changes of one person's role, and follows the events to two receivers, one of them hostile.
 * A third receiver answers 410, and its destination must be paused. A redirect leads to a canary, which must get nothing.
 * The acknowledged facts are the keys and the changes of the role.
 */
export function notificationLoad(random: () => number): Load {
  const keys = new Set<string>();
  const secrets = new Map<Receiver, string>();
  const destinationIds: string[] = [];
  let canary: Receiver | undefined;
  let gone: Receiver | undefined;
  let goneId = "";
  /** Requests to the receiver that answers 410, when its destination was first seen as paused. */
  let goneRequests: number | undefined;
  let isHostile = true;
  let sentChanges = 0;
  let roleChanges = 0;
  let serial = 0;
  let project = "";
  let projectKey = "";
  let userId = "";

  async function prepare({ url, admin }: Access): Promise<void> {
    project = (await admin.projects.create({ name: "Notifications" })).project.id;
    projectKey = (await admin.keys.create({ project_id: project, name: "first" })).secret;
    const client = clientAt(url);
    userId = (await join(url, admin, "notified@acme.test", "member")).session.user.id;
    canary = await startReceiver();
    const hostile = await startReceiver((_, response) => {
      const draw = isHostile ? random() : 1;
      const [refusal] = REFUSALS.filter((_each, at) => draw < (HOSTILE_SHARE * (at + 1)) / REFUSALS.length);
      if (refusal === undefined) response.writeHead(200).end();
      else refusal(response, canary!.url);
    });
    gone = await startReceiver((_, response) => void response.writeHead(410).end());
    const eventTypes = ["key.created" as const, "member.changed" as const];
    const made = await client.destinations.create({ name: "gone", kind: "webhook", url: gone.url, eventTypes });
    goneId = made.destination.id;
    for (const [name, receiver] of [
      ["hostile", hostile],
      ["good", await startReceiver()],
    ] as const) {
      const made = await client.destinations.create({ name, kind: "webhook", url: receiver.url, eventTypes });
      destinationIds.push(made.destination.id);
      secrets.set(receiver, made.secret!);
    }
  }

  const clientAt = (url: string) => createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });

  async function step({ admin }: Access): Promise<void> {
    const name = `notified ${++serial}`;
    if (serial % 2 === 0) keys.add((await admin.keys.create({ name, project_id: project })).id);
    else {
      sentChanges++;
      await admin.members.edit({ userId, role: serial % 4 === 1 ? "viewer" : "member" });
      roleChanges++;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async function faults(access: Access): Promise<string[]> {
    const client = clientAt(access.url);
    isHostile = false;
    const found = await lastingFaults(access, async () => {
      for (const destinationId of destinationIds) await client.destinations.edit({ destinationId, paused: false });
      const events: ProjectEvent[] = [];
      for await (const event of pages(client.events.list, { pageSize: 200 })) events.push(event);
      return [...faultsOfEvents(events.toReversed()), ...(await faultsOfGone(client))];
    });
    isHostile = true;
    return found;
  }

  async function faultsOfGone(client: ReturnType<typeof clientAt>): Promise<string[]> {
    const { destination } = await client.destinations.get({ destinationId: goneId });
    const found = canary!.received.length > 0 ? ["notifications: a redirect was followed"] : [];
    if (gone!.received.length === 0) return found;
    if (destination.pauseReason !== "gone")
      return [...found, "notifications: a destination that is gone is not paused"];
    goneRequests ??= gone!.received.length;
    if (gone!.received.length > goneRequests) found.push("notifications: a destination that is gone got events");
    return found;
  }

  /** Compares the project's events, oldest first, with what was acknowledged and what the receivers got. */
  function faultsOfEvents(events: readonly ProjectEvent[]): string[] {
    const found: string[] = [];
    const ofKeys = events.flatMap((event) => (event.type === "key.created" ? [event.data.key.id] : []));
    for (const key of keys) {
      const count = ofKeys.filter((id) => id === key).length;
      if (count !== 1) found.push(`notifications: the key ${key} has ${count} events`);
    }
    const ofPerson = events.filter(({ type }) => type === "member.changed").map(({ id }) => id);
    // A change without an answer may have happened or not. If it did not, the next change asks for the role that the person already has.
    const lost = sentChanges - roleChanges;
    if (ofPerson.length > sentChanges || ofPerson.length < roleChanges - lost)
      found.push(`notifications: ${ofPerson.length} changes of a role; ${sentChanges} sent, ${roleChanges} answered`);
    const wanted = events.filter((event) => !(event.type === "key.created" && event.data.key.name === "first"));
    for (const [receiver, secret] of secrets) {
      const got = new Set<string>();
      for (const one of receiver.received) {
        if (!isSigned(one, secret)) found.push("notifications: a signature is wrong");
        got.add(one.event.id);
      }
      const missing = wanted.filter(({ id }) => !got.has(id));
      if (missing.length > 0) found.push(`notifications: ${missing.length} of ${wanted.length} events did not arrive`);
      const known = new Set(events.map(({ id }) => id));
      if ([...got].some((id) => !known.has(id))) found.push("notifications: an event arrived that nobody recorded");
      const inOrder = [...got].filter((id) => ofPerson.includes(id));
      if (missing.length === 0 && inOrder.join() !== ofPerson.join())
        found.push("notifications: the changes of one person arrived in another order");
    }
    return found;
  }

  return {
    name: "notifications",
    prepare,
    step,
    faults,
    acknowledged: () => keys.size + roleChanges,
    plant: () => void keys.add("key_06ft2v8xk3n9q4w7r1y5z0abcd"),
    close: async () => {
      for (const receiver of [...secrets.keys(), canary, gone]) receiver?.stop();
    },
  };
}

/** Returns whether the signature of the request is right. The library's own check would refuse the old times of a long scenario. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const signature = new Webhook(secret).sign(String(headers["webhook-id"]), sentAt, body);
  return String(headers["webhook-signature"]).split(" ").includes(signature);
}
