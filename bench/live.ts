/**
 * Plays calls that last several minutes: `npm run bench -- live --calls 200`. Each call sends the bodies of a real worker at their
 * times, whether or not the service keeps up. Prints the times of the answers, the service's CPU time and memory, and how late the
 * service derives conversations. At the start, some calls have just begun and others are nearly over; when a call ends, another
 * begins.
 */
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import { startReceiver } from "../test/support/receiver.ts";
import { BODIES_OF_ROUND, bodiesOfCall, bodyFor, type CallIds, newCall } from "./live-calls.ts";
import { post } from "./send-bodies.ts";
import { AGENTS, createGraders, createTeamLoop, VERSIONS } from "./team-loop.ts";
import { startServer } from "./start-server.ts";

const { calls, every, batches, seconds, graders, loop } = new Command("live")
  .description("Measures the service while calls go on.")
  .option("--calls <count>", "calls at the same time", Number, 200)
  .option("--every <seconds>", "time between two bodies of a call", Number, 5)
  .option("--batches <count>", "bodies of a call", Number, 60)
  .option("--seconds <count>", "time of the measurement", Number, 60)
  .option("--graders", "with graders of production")
  .option("--loop", "with alert rules, destinations and schedules")
  .parse()
  .opts<{
    calls: number;
    every: number;
    batches: number;
    seconds: number;
    graders?: true;
    loop?: true;
  }>();

const TICK_MS = 5;
const LAG_MS = 5_000;
const SETTLE_MS = 15_000;
const RETRIES_MAX = 20;

const START_STEP_MS = 60_000;

type Body = ReturnType<typeof bodiesOfCall>[number];
type Slot = { ids: CallIds; bodies: readonly Body[]; next: number; dueMs: number };

const bodiesOfStart = new Map<number, readonly Body[]>();
const { url, key, ask, close } = await startServer("reads-server.ts");
const agent = new Agent({ keepAlive: true, maxSockets: 1024 });
const client = createClient({ baseUrl: url, apiKey: key });
if (graders) await createGraders(client);
const startMs = Date.now();
const slots = Array.from({ length: calls }, (_, number) => slotOf(number, startMs - ageOf(number) * every * 1_000));
const receiver = loop && (await startReceiver());
await sendEarlierBodies();
await ask("drain");
if (receiver) await createTeamLoop(client, receiver.url);
await delay(SETTLE_MS);
console.log(`measuring from ${new Date().toISOString()}`);
const before = await ask("usage");
const ownBefore = process.cpuUsage();
const { spans, acksMs, refusals, lagsSeconds } = await play();
const after = await ask("usage");
const own = process.cpuUsage(ownBefore);
const drainedAt = performance.now();
const drained = await ask("drain");
const drainSeconds = (performance.now() - drainedAt) / 1000;
const { alertRules } = await client.alertRules.list({ pageSize: 200 });
const judged = alertRules.filter(({ lastWindow }) => lastWindow !== null && lastWindow.good + lastWindow.bad > 0);
await close();
receiver?.stop();
agent.destroy();

const cpuMs = after.cpuMs - before.cpuMs;
acksMs.sort((a, b) => a - b);
const quantile = (share: number) => acksMs[Math.floor(acksMs.length * share)]!.toFixed(1);
const cell = (name: string, value: string) => console.log(`  ${name.padEnd(44)}${value.padStart(14)}`);
console.log(
  `${calls} calls, a body every ${every} s, ${batches} bodies a call, ${seconds} s${graders ? ", with graders" : ""}${loop ? ", with the loop of a team" : ""}`,
);
cell("spans/s", (spans / seconds).toFixed(0));
cell("CPU µs/span", ((cpuMs * 1000) / spans).toFixed(0));
cell("CPU ms per minute of a call", (cpuMs / ((calls * seconds) / 60)).toFixed(1));
cell("CPU, % of a core", (cpuMs / seconds / 10).toFixed(1));
cell("answer ms, p50 / p99", `${quantile(0.5)} / ${quantile(0.99)}`);
cell("refused requests, sent again", String(refusals));
cell(
  "conversations derived late by s, greatest",
  lagsSeconds.length === 0 ? "unknown" : Math.max(...lagsSeconds).toFixed(1),
);
cell(
  "to read everything at the end: s / CPU ms",
  `${drainSeconds.toFixed(1)} / ${(drained.cpuMs - after.cpuMs).toFixed(0)}`,
);
cell("RSS MB", after.rssMb.toFixed(0));
if (receiver) {
  cell("alert rules, those that judged an agent", `${alertRules.length} / ${judged.length}`);
  cell("events at the destinations", String(receiver.received.length));
}
cell("CPU of this generator, % of a core", ((own.user + own.system) / 1e4 / seconds).toFixed(1));

/** Returns how many bodies a call has sent when the measurement starts. */
function ageOf(number: number): number {
  return Math.floor((number / calls) * batches);
}

function slotOf(number: number, startMs: number): Slot {
  const digits = [number % AGENTS, Math.floor(number / AGENTS) % VERSIONS] as const;
  return { ids: { ...newCall(), digits }, bodies: bodiesFrom(startMs), next: 0, dueMs: 0 };
}

/** Calls that start in the same minute have the same times. */
function bodiesFrom(startMs: number): readonly Body[] {
  const minute = Math.floor(startMs / START_STEP_MS);
  const known = bodiesOfStart.get(minute);
  if (known !== undefined) return known;
  const made = bodiesOfCall(batches, { startMs: minute * START_STEP_MS, roundSeconds: BODIES_OF_ROUND * every });
  bodiesOfStart.set(minute, made);
  return made;
}

/** Sends the bodies that the calls would have sent before the start of the measurement. */
async function sendEarlierBodies(): Promise<void> {
  const queue = slots.entries();
  const sender = async () => {
    for (const [number, slot] of queue) {
      const age = ageOf(number);
      while (slot.next < age) await send(slot, performance.now(), []);
    }
  };
  await Promise.all(Array.from({ length: Math.min(32, calls) }, sender));
}

/** Sends each body at its time. Resolves when the last body is answered. */
async function play() {
  const [acksMs, lagsSeconds]: number[][] = [[], []];
  const sends: Promise<number>[] = [];
  const startedMs = performance.now();
  const result = { spans: 0, acksMs: acksMs!, refusals: 0, lagsSeconds: lagsSeconds! };
  for (const [number, slot] of slots.entries())
    slot.dueMs = startedMs + (((number / calls) * every * 1000 * 7) % (every * 1000));
  let lagAt = startedMs;
  for (let now = startedMs; now < startedMs + seconds * 1000; now = performance.now()) {
    for (const slot of slots) {
      if (slot.dueMs > now) continue;
      result.spans += slot.bodies[slot.next]!.spans;
      sends.push(send(slot, slot.dueMs, result.acksMs));
      slot.dueMs += every * 1000;
    }
    if (now >= lagAt) {
      lagAt += LAG_MS;
      void lag().then((value) => value !== undefined && result.lagsSeconds.push(value));
    }
    await delay(TICK_MS);
  }
  for (const refused of await Promise.all(sends)) result.refusals += refused;
  return result;
}

/** Sends the next body of a call, and repeats it after a refusal, as an exporter does. Returns the number of refusals. */
async function send(slot: Slot, dueMs: number, acksMs: number[]): Promise<number> {
  const gzip = bodyFor(slot.bodies[slot.next]!, slot.ids);
  if (++slot.next === slot.bodies.length) {
    const { digits } = slot.ids;
    Object.assign(slot, { ids: { ...newCall(), digits }, bodies: bodiesFrom(Date.now()), next: 0 });
  }
  for (let refusals = 0; ; refusals++) {
    const { status, retryAfter } = await post(agent, { url, key }, gzip).catch(onLostConnection);
    if (status === 200) {
      acksMs.push(performance.now() - dueMs);
      return refusals;
    }
    if (status !== 503 || refusals === RETRIES_MAX) throw new Error(`HTTP ${status}`);
    await delay(retryAfter * 1000);
  }
}

/** The service closes an idle connection while a body is on its way. An exporter sends the body again. */
function onLostConnection(error: Error & { code?: string }) {
  if (error.code !== "ECONNRESET") throw error;
  return { status: 503, retryAfter: 0 };
}

/** Returns the lag that the service reports with its lists. */
async function lag(): Promise<number | undefined> {
  const response = await fetch(`${url}/v1/traces?pageSize=1`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  const value = response.headers.get("reading-lag");
  return value === null ? undefined : Number(value);
}
