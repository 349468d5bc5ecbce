import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { join } from "../support/people.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.now() - 72 * 60 * MINUTE_MS;
const OUTAGE_HOURS = 24;

/** How each receiver answers during the outage. The last receiver closes the connection without an answer. */
const OUTAGES: Record<string, (response: ServerResponse) => void> = {
  "answers 500": (response) => void response.writeHead(500).end(),
  "asks for later": (response) => void response.writeHead(429, { "retry-after": "3600" }).end(),
  redirects: (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  "ends the connection": (response) => void response.destroy(),
};

let server: TestServer;
let isOut = true;
const receivers = new Map<string, Receiver>();
beforeAll(async () => {
  setClock(0);
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, senderPace: { everyMs: 10 } });
  for (const [name, answer] of Object.entries(OUTAGES))
    receivers.set(
      name,
      await startReceiver((_, response) => (isOut ? answer(response) : void response.writeHead(204).end())),
    );
});
afterAll(async () => {
  for (const receiver of receivers.values()) receiver.stop();
  await server.stop();
  vi.useRealTimers();
});

/** Sets the clock to some minutes after its start. Timers use the real clock. */
const setClock = (minutes: number) => vi.useFakeTimers({ now: START_MS + minutes * MINUTE_MS, toFake: ["Date"] });

test("after an outage of a day of every receiver each event arrives once, in the order of its subject, and none is given up", async () => {
  const person = await join(server.url, server.admin, "ada@acme.test", "viewer");
  const { userId } = (await server.admin.members.list()).members.find(({ email }) => email === person.email)!;
  const ids = new Map<string, string>();
  for (const [name, { url }] of receivers) {
    const wanted = { name, kind: "webhook", url, eventTypes: ["key.created", "member.changed"] } as const;
    ids.set(
      name,
      (await server.client.destinations.create({ ...wanted, eventTypes: [...wanted.eventTypes] })).destination.id,
    );
  }
  const destinations = async () => {
    const { destinations: all } = await server.client.destinations.list({});
    return all.filter(({ id }) => [...ids.values()].includes(id));
  };
  /** Waits until each destination has this many failed attempts in a row. */
  const settled = (failed: number) =>
    until("every destination waits", async () =>
      (await destinations()).every(({ failing }) => (failing?.failures ?? 0) >= failed),
    );

  const keys: string[] = [];
  const roles: string[] = [];
  for (let hour = 0; hour < OUTAGE_HOURS; hour++) {
    setClock(hour * 60);
    const role = hour % 2 === 0 ? "member" : "viewer";
    await server.admin.members.edit({ userId, role });
    roles.push(role);
    keys.push((await server.admin.keys.create({ name: freshName("key"), project_id: server.project.id })).id);
    await settled(hour + 1);
  }
  expect((await destinations()).map(({ waitingCount, failedCount }) => ({ waitingCount, failedCount }))).toEqual(
    [...ids].map(() => ({ waitingCount: 2 * OUTAGE_HOURS, failedCount: 0 })),
  );

  isOut = false;
  const before = new Map([...receivers].map(([name, { received }]) => [name, received.length]));
  setClock(OUTAGE_HOURS * 60 + 61);
  await until("nothing waits", async () => (await destinations()).every(({ waitingCount }) => waitingCount === 0));
  for (const [name, { received }] of receivers) {
    const accepted = received.slice(before.get(name)).map(({ event }) => event);
    const told = accepted.flatMap((event) => (event.type === "member.changed" ? [event.data.role] : []));
    const made = accepted.flatMap((event) => (event.type === "key.created" ? [event.data.key.id] : []));
    expect({ name, told, made: made.toSorted() }).toEqual({ name, told: roles, made: keys.toSorted() });
  }
  expect((await destinations()).map(({ failing, failedCount }) => ({ failing, failedCount }))).toEqual(
    [...ids].map(() => ({ failing: null, failedCount: 0 })),
  );
});
