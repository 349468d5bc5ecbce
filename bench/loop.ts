/**
 * Measures events and alert rules: `npm run bench -- loop`. Prints the processor time of an event and its delivery to a webhook,
 * which is the difference between new keys with and without a destination. Also prints the processor time of alert rules,
 * destinations and schedules while nothing happens.
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
  .option("--events <count>", "events through one destination", Number, 2_000)
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
const receiver = await startReceiver();
const { destination } = await client.destinations.create({
  name: "bench",
  kind: "webhook",
  url: receiver.url,
  eventTypes: ["key.created"],
});
const sent = await keysCost(() =>
  until("every event has arrived", () => receiver.received.length === events, 3_600_000),
);
cell("a key, CPU µs", without.cpuUs.toFixed(0));
cell("a key with an event that a webhook gets, CPU µs", sent.cpuUs.toFixed(0));
cell("the event and its delivery, CPU µs", (sent.cpuUs - without.cpuUs).toFixed(0));
cell("events a second, to one receiver", (events / (sent.wallMs / 1_000)).toFixed(0));
const { deliveries } = await client.destinations.deliveries({ destinationId: destination.id, pageSize: 1 });
if (deliveries[0]?.state !== "delivered") throw new Error("the newest event is not recorded as delivered");

await client.destinations.delete({ destinationId: destination.id });
await createTeamLoop(client, receiver.url);
const loaded = await atRest();
cell("at rest, without them, % of a core", empty.toFixed(2));
cell("at rest, with all of them, % of a core", loaded.toFixed(2));
await close();
receiver.stop();
