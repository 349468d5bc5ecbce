import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventType } from "@svc/contract";
import { Webhook } from "standardwebhooks";
import { join } from "../support/people.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
const receivers: Receiver[] = [];

beforeAll(async () => {
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    senderPace: { everyMs: 20 },
  });
});

afterAll(async () => {
  for (const receiver of receivers) receiver.stop();
  await server.stop();
});

async function receiverThat(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  receivers.push(receiver);
  return receiver;
}

const webhook = (
  url: string,
  eventTypes: Exclude<EventType, "destination.test" | "alert.reminded">[] = ["key.created"],
) => server.client.destinations.create({ name: freshName("hook"), kind: "webhook", url, eventTypes });

/** Creates a key, which causes an event `key.created` of the project, and returns the key's id. */
const makeKey = async (name = freshName("key")) =>
  (await server.admin.keys.create({ name, project_id: server.project.id })).id;

const keyIds = ({ received }: Receiver) =>
  received.map(({ event }) => (event.type === "key.created" ? event.data.key.id : event.type));

const remove = (destinationId: string) => server.client.destinations.delete({ destinationId });

describe("a webhook", () => {
  test("a webhook gets each event once, signed, with a link, and says so in its deliveries", async () => {
    const receiver = await receiverThat();
    const { destination, secret } = await webhook(receiver.url);
    const id = await makeKey("for CI");
    const [one] = await until("the event has arrived", () => receiver.received.length > 0 && receiver.received);
    const verified = new Webhook(secret!).verify(one!.body, one!.headers as Record<string, string>);
    expect(verified).toEqual(one!.event);
    expect(one!.event).toMatchObject({ type: "key.created", data: { key: { id, name: "for CI" } } });
    expect(one!.event.link).toMatch(/\/o\/org_\w+\/settings\/keys$/);
    expect(one!.headers["webhook-id"]).toBe(one!.event.id);
    expect(one!.body).not.toContain("svc_sk_");
    const { deliveries } = await until("the delivery is recorded", async () => {
      const list = await server.client.destinations.deliveries({ destinationId: destination.id });
      return list.deliveries[0]?.state === "delivered" && list;
    });
    expect(deliveries).toMatchObject([{ eventId: one!.event.id, attempts: 1, status: 204, problem: null }]);
    const { events } = await server.client.events.list({ type: "key.created" });
    expect(events).toContainEqual(one!.event);
    await remove(destination.id);
  });

  test("checks of a signature fail for another body, another secret and another time", async () => {
    const receiver = await receiverThat();
    const { destination, secret } = await webhook(receiver.url);
    await makeKey();
    const [one] = await until("the event has arrived", () => receiver.received.length > 0 && receiver.received);
    const headers = one!.headers as Record<string, string>;
    const verify = new Webhook(secret!);
    expect(() => verify.verify(one!.body.replace("key", "kex"), headers)).toThrow(/signature/i);
    expect(() => verify.verify(one!.body, { ...headers, "webhook-timestamp": "1700000000" })).toThrow(/timestamp/i);
    expect(() => new Webhook(`whsec_${btoa("x".repeat(32))}`).verify(one!.body, headers)).toThrow(/signature/i);
    await remove(destination.id);
  });

  test("for 24 hours after a new secret, both secrets sign", async () => {
    const receiver = await receiverThat();
    const { destination, secret: former } = await webhook(receiver.url);
    const { secret } = await server.client.destinations.rotateSecret({ destinationId: destination.id });
    expect(secret).not.toBe(former);
    await makeKey();
    const [one] = await until("the event has arrived", () => receiver.received.length > 0 && receiver.received);
    for (const each of [former!, secret])
      expect(new Webhook(each).verify(one!.body, one!.headers as Record<string, string>)).toEqual(one!.event);
    await remove(destination.id);
  });

  test("that fails gets the events again, the same bytes, in the order of each subject", async () => {
    let failures = 2;
    const receiver = await receiverThat((_, response) => void response.writeHead(failures-- > 0 ? 500 : 200).end());
    const { destination } = await webhook(receiver.url, ["member.changed"]);
    // Two events concern one person, and one event concerns another person.
    const changes = ["joined", "role", "left"];
    const { userId } = await aMember();
    await server.admin.members.edit({ userId, role: "viewer" });
    await server.admin.members.remove({ userId });
    await server.client.destinations.edit({ destinationId: destination.id, paused: false });
    await until("every event has arrived", async () => {
      await server.client.destinations.edit({ destinationId: destination.id, paused: false });
      const { destination: now } = await server.client.destinations.get({ destinationId: destination.id });
      return now.waitingCount === 0;
    });
    const accepted = receiver.received.slice(2);
    expect(accepted.map(({ event }) => event.type === "member.changed" && event.data.change)).toEqual(changes);
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
    expect(accepted[0]!.body).toBe(receiver.received[0]!.body);
    expect(receiver.mostOpen()).toBe(1);
    await remove(destination.id);
  });

  test("that answers 410 is paused, and nothing is lost when it is resumed", async () => {
    let isGone = true;
    const receiver = await receiverThat((_, response) => void response.writeHead(isGone ? 410 : 200).end());
    const { destination } = await webhook(receiver.url);
    const first = await makeKey();
    const { destination: paused } = await until("it is paused", async () => {
      const answer = await server.client.destinations.get({ destinationId: destination.id });
      return answer.destination.paused && answer;
    });
    expect(paused).toMatchObject({ pauseReason: "gone", waitingCount: 1 });
    const { conditions } = await server.admin.conditions.list();
    expect(conditions).toContainEqual(
      expect.objectContaining({ code: "destination_gone", projectId: server.project.id, needsAction: true }),
    );
    await makeKey("while it is paused");
    isGone = false;
    await server.client.destinations.edit({ destinationId: destination.id, paused: false });
    await until("the waiting event has arrived", () => receiver.received.length > 1);
    const last = await makeKey();
    await until("the next event has arrived", () => receiver.received.length > 2);
    expect(keyIds(receiver)).toEqual([first, first, last]);
    await remove(destination.id);
  });
});

describe("a hostile receiver", () => {
  const CASES: [name: string, answer: Parameters<typeof startReceiver>[0], problem: RegExp][] = [
    ["answers 500", (_, response) => void response.writeHead(500).end("no"), /status 500/],
    ["answers 404", (_, response) => void response.writeHead(404).end(), /status 404/],
    [
      "redirects",
      (_, response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
      /redirect, which is not followed/,
    ],
    ["closes the connection", (_, response) => void response.destroy(), /closed the connection/],
    ["resets the connection", (_, response) => void response.socket!.resetAndDestroy(), /closed the connection/],
    ["refuses without an end", (_, response) => endless(response.writeHead(500)), /status 500/],
    ["speaks no HTTP", (_, response) => void response.socket!.end("hello\r\n\r\n"), /not HTTP/],
    ["asks to wait", (_, response) => void response.writeHead(429, { "retry-after": "120" }).end(), /status 429/],
  ];

  test.each(CASES)("that %s is told so, and delays no other", async (_, answer, problem) => {
    const [bad, good] = [await receiverThat(answer), await receiverThat()];
    const [failing, working] = [await webhook(bad.url), await webhook(good.url)];
    const id = await makeKey();
    await until("the other has the event", () => good.received.length > 0);
    expect(keyIds(good)).toEqual([id]);
    const { destination } = await until("the failure is recorded", async () => {
      const got = await server.client.destinations.get({ destinationId: failing.destination.id });
      return got.destination.failing && got;
    });
    expect(destination.failing!.problem).toMatch(problem);
    const { deliveries } = await server.client.destinations.deliveries({ destinationId: failing.destination.id });
    expect(deliveries).toMatchObject([{ state: "waiting", attempts: 1 }]);
    expect(Date.parse(deliveries[0]!.nextAttemptAt!)).toBeGreaterThan(bad.received[0]!.atMs + 4_000);
    for (const { destination: each } of [failing, working]) await remove(each.id);
  });

  test("that never ends its answer has accepted the event when its status is 200", async () => {
    const receiver = await receiverThat((_, response) => endless(response.writeHead(200)));
    const { destination } = await webhook(receiver.url);
    await makeKey();
    await until("it is delivered", async () => {
      const { deliveries } = await server.client.destinations.deliveries({ destinationId: destination.id });
      return deliveries[0]?.state === "delivered";
    });
    expect(receiver.received).toHaveLength(1);
    await remove(destination.id);
  });

  test.each([429, 503])("`Retry-After` of a %i is respected", async (status) => {
    const retry = { "retry-after": "1800" };
    const receiver = await receiverThat((_, response) => void response.writeHead(status, retry).end());
    const { destination } = await webhook(receiver.url);
    await makeKey();
    const [delivery] = await until("the failure is recorded", async () => {
      const { deliveries } = await server.client.destinations.deliveries({ destinationId: destination.id });
      return deliveries[0]?.attempts === 1 && deliveries;
    });
    expect(Date.parse(delivery!.nextAttemptAt!) - receiver.received[0]!.atMs).toBeGreaterThan(1_790_000);
    await remove(destination.id);
  });
});

/** Writes an answer that does not end until the connection is closed. */
function endless(response: ServerResponse): void {
  const write = () => void (response.writable && response.write("x".repeat(65_536), () => setImmediate(write)));
  write();
}

/** Adds a member to the organization. */
async function aMember(): Promise<{ userId: string }> {
  const person = await join(server.url, server.admin, `${freshName("person").replace(" ", "-")}@acme.test`, "member");
  return { userId: person.session.user.id };
}
