/**
 * Measures events and alert rules: `npm run bench -- loop`. Prints the processor time of an event and its delivery to a webhook,
 * which is the difference between new keys with and without a destination. Then sends events that waited while the receiver was
 * down. Also prints the processor time of alert rules, destinations and schedules while nothing happens.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import { startReceiver } from "../test/support/receiver.ts";
import { until } from "../test/support/until.ts";
import { startServer } from "./start-server.ts";
import { createTeamLoop, DESTINATIONS, RULES, SCHEDULES } from "./team-loop.ts";

const { events, seconds } = new Command("loop")
  .description("Measures events and alert rules.")
  .option("--events <count>", "events through one destination", Number, 10_000)
  .option("--seconds <count>", "time of each measurement at rest", Number, 60)
  .parse()
  .opts<{ events: number; seconds: number }>();

const AT_ONCE = 8;

const { url, key, ask, close } = await startServer("reads-server.ts");
const client = createClient({ baseUrl: url, apiKey: key });
const { project } = (await client.identity.get()).identity;
const project_id = project!.id;

/** Creates keys, waits for `settled`, and returns the processor time of each key in microseconds. */
async function keysCost(settled: () => Promise<unknown>): Promise<{ cpuUs: number; wallMs: number }> {
  const before = await ask("usage");
  const startedAt = performance.now();
  for (let made = 0; made < events; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => client.keys.create({ name: "bench", project_id })));
  await settled();
  const after = await ask("usage");
  const wallMs = performance.now() - startedAt;
  return { cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / events, wallMs };
}

async function atRest(): Promise<number> {
  await delay(2_000);
  const before = await ask("usage");
  await delay(seconds * 1_000);
  return ((await ask("usage")).cpuMs - before.cpuMs) / seconds / 10;
}

const cell = (name: string, value: string) => console.log(`  ${name.padEnd(56)}${value.padStart(14)}`);
console.log(`${events} events, ${RULES} alert rules, ${DESTINATIONS} destinations, ${SCHEDULES} schedules`);
const empty = await atRest();
const without = await keysCost(async () => undefined);
let isDown = false;
const accepted = new Set<string>();
const receiver = await startReceiver(({ event }, response) => {
  if (!isDown) accepted.add(event.id);
  response.writeHead(isDown ? 503 : 204).end();
});
const arrived = (count: number) => until(`${count} events have arrived`, () => accepted.size === count, 3_600_000);
const { destination } = await client.destinations.create({
  name: "bench",
  kind: "webhook",
  url: receiver.url,
  eventTypes: ["key.created"],
});
const sent = await keysCost(() => arrived(events));
cell("a key, CPU µs", without.cpuUs.toFixed(0));
cell("a key with an event that a webhook gets, CPU µs", sent.cpuUs.toFixed(0));
cell("the event and its delivery, CPU µs", (sent.cpuUs - without.cpuUs).toFixed(0));
cell("keys with an event a second, to one receiver", (events / (sent.wallMs / 1_000)).toFixed(0));

isDown = true;
await keysCost(async () => undefined);
const waiting = await ask("usage");
const upAt = performance.now();
isDown = false;
await client.destinations.edit({ destinationId: destination.id, paused: false });
await arrived(2 * events);
const caughtUp = await ask("usage");
cell("events a second that waited for the receiver", (events / ((performance.now() - upAt) / 1_000)).toFixed(0));
cell("the delivery of such an event, CPU µs", (((caughtUp.cpuMs - waiting.cpuMs) * 1_000) / events).toFixed(0));
cell("memory with all events waiting, MB", waiting.rssMb.toFixed(0));
cell("memory when they have arrived, MB", caughtUp.rssMb.toFixed(0));

const { deliveries } = await client.destinations.deliveries({ destinationId: destination.id, pageSize: 1 });
if (deliveries[0]?.state !== "delivered") throw new Error("the newest event is not recorded as delivered");

await client.destinations.delete({ destinationId: destination.id });
await createTeamLoop(client, receiver.url);
const loaded = await atRest();
cell("at rest, without them, % of a core", empty.toFixed(2));
cell("at rest, with all of them, % of a core", loaded.toFixed(2));
await close();
receiver.stop();
