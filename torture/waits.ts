import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@svc/sdk";
import { keysIn } from "../test/support/secret.ts";
import { type Receiver, startReceiver } from "../test/support/receiver.ts";
import { until } from "../test/support/until.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";

const RECEIVERS = 12;
/** Longer than the first pause of a delivery without the header, which is at most 5.5 seconds. */
const WAIT_SECONDS = [7, 9] as const;
type Asked = { headers: Record<string, string>; untilMs: number };
const ASK: readonly ((waitMs: number, nowMs: number) => Asked)[] = [
  (waitMs, nowMs) => ({ headers: { "retry-after": String(waitMs / 1000) }, untilMs: nowMs + waitMs }),
  (waitMs, nowMs) => ({ headers: { "retry-after-ms": String(waitMs) }, untilMs: nowMs + waitMs }),
  (waitMs, nowMs) => {
    const date = new Date(nowMs + waitMs).toUTCString();
    return { headers: { "retry-after": date }, untilMs: Date.parse(date) };
  },
];
const STATUSES = [429, 503] as const;

type Waiting = { receiver: Receiver; untilMs: () => number; destinationId: string };

export const waits: Scenario = {
  name: "waits",
  shows:
    "a receiver that asks to wait gets the event again, and never before the time for which it asked, also after kill -9",
  weight: 1,
  trials: "answers with Retry-After",
  goal: 1_000,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await oneCase(arena, number);
  },
};

/** Sends one event to many receivers that ask to wait, and kills the service while it waits. */
async function oneCase(arena: Arena, number: number): Promise<void> {
  const draws = arena.draws.named(`case ${number}`);
  const dataDir = join(arena.folder, `data-${number}`);
  const settings = claimed(draws, { SVC_OUTBOUND_PRIVATE: "true" });
  const start = () => arena.launch({ dataDir, settings, options: { senderPace: { everyMs: 50 } } });
  const clientTo = async ({ serving }: ReturnType<typeof start>) =>
    clientOf(await serving, keysIn(settings).projectKey);

  let service = start();
  let client = await clientTo(service);
  const waiting: Waiting[] = [];
  for (let at = 0; at < RECEIVERS; at++) waiting.push(await openWaiting(client, draws.named(`receiver ${at}`), at));
  const admin = clientOf(await service.serving, keysIn(settings).adminKey);
  const [project] = (await admin.projects.list({})).projects;
  await admin.keys.create({ name: "cause of an event", project_id: project!.id });
  await until("every receiver has asked to wait, and the service has stored it", async () => {
    const { destinations } = await client.destinations.list({ pageSize: RECEIVERS });
    return destinations.every(({ failing }) => failing !== null);
  });
  for (let kill = draws.whole(1, 3); kill > 0; kill--) {
    await delay(draws.next() * 1_000);
    await service.kill();
    service = start();
    client = await clientTo(service);
    arena.count("kills");
  }
  await until(
    "every receiver has accepted the event",
    () => waiting.every(({ receiver }) => receiver.received.length > 1),
    60_000,
  );
  for (const { receiver, untilMs, destinationId } of waiting) {
    arena.trial();
    const [first, second] = receiver.received;
    const earlyMs = untilMs() - second!.atMs + (arena.isPlanted ? 60_000 : 0);
    if (earlyMs > 0) arena.violation(`a receiver got an event ${earlyMs} ms too early`, { destinationId }, dataDir);
    if (second!.event.id !== first!.event.id)
      arena.violation("the event came again with another id", { destinationId });
  }
  await service.stop();
  for (const { receiver } of waiting) receiver.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts a receiver that asks to wait once and then accepts everything, and creates its destination. */
async function openWaiting(client: Client, draws: Draws, at: number): Promise<Waiting> {
  let asked: Asked | undefined;
  const waitMs = draws.whole(...WAIT_SECONDS) * 1000;
  const receiver = await startReceiver(({ atMs }, response) => {
    if (asked !== undefined) return void response.writeHead(204).end();
    asked = ASK[at % ASK.length]!(waitMs, atMs);
    response.writeHead(STATUSES[at % STATUSES.length]!, asked.headers).end();
  });
  const { destination } = await client.destinations.create({
    name: `waiting ${at}`,
    kind: "webhook",
    url: receiver.url,
    eventTypes: ["key.created"],
  });
  return { receiver, untilMs: () => asked!.untilMs, destinationId: destination.id };
}
