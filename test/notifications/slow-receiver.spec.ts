import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const TIMEOUT_MS = 1_000;

let server: TestServer;
const receivers: Receiver[] = [];
beforeAll(async () => {
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    senderPace: { everyMs: 20, timeoutMs: TIMEOUT_MS },
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

const webhook = async (url: string) =>
  (
    await server.client.destinations.create({
      name: freshName("hook"),
      kind: "webhook",
      url,
      eventTypes: ["key.created"],
    })
  ).destination.id;

const makeKey = async () =>
  (await server.admin.keys.create({ name: freshName("key"), project_id: server.project.id })).id;

/** Returns the ids of the keys that the receiver was told of, each once, in the order of their first arrival. */
const keyIds = ({ received }: Receiver) => [
  ...new Set(received.map(({ event }) => (event.type === "key.created" ? event.data.key.id : event.type))),
];

test("a receiver that answers after its timeout gets the event again, and delays no other", async () => {
  let isSlow = true;
  const late: ServerResponse[] = [];
  const slow = await receiverThat((_, response) => {
    if (isSlow) late.push(response);
    else response.writeHead(204).end();
  });
  const good = await receiverThat();
  const destinationId = await webhook(slow.url);
  await webhook(good.url);
  const keys = [await makeKey(), await makeKey(), await makeKey()];
  await until("the other receiver has every event", () => keyIds(good).length === 3);
  expect(keyIds(good)).toEqual(keys);

  const failed = await until("the failure is recorded", async () => {
    const { destination } = await server.client.destinations.get({ destinationId });
    return destination.failing && destination;
  });
  expect(failed).toMatchObject({ waitingCount: 3, failedCount: 0, paused: false });
  expect(failed.failing!.problem).toContain("did not answer in time");
  expect(keyIds(slow)).toEqual([keys[0]]);
  // The late answer of an attempt that failed changes nothing.
  for (const response of late) response.writeHead(204).end();
  const { destination: after } = await server.client.destinations.get({ destinationId });
  expect(after).toMatchObject({ waitingCount: 3, lastDeliveredAt: null });

  isSlow = false;
  const delivered = await until("nothing is waiting", async () => {
    await server.client.destinations.edit({ destinationId, paused: false });
    const { destination } = await server.client.destinations.get({ destinationId });
    return destination.waitingCount === 0 && destination;
  });
  expect(delivered.failing).toBeNull();
  expect(keyIds(slow)).toEqual(keys);
  const [first, ...again] = slow.received.filter(({ event }) => event.id === slow.received[0]!.event.id);
  expect(again.map(({ body }) => body)).toEqual([first!.body]);
  expect(slow.mostOpen()).toBe(1);
});
