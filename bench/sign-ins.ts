/**
 * Measures ingest during a storm of sign-ins: `npm run bench -- sign-ins`. Sends bodies at a fixed rate, while people sign in with
 * the right password again and again, each after the answer to the previous sign-in. Prints the times of the answers to bodies,
 * counted from the time at which a body was due. The conditions take turns. Each time is printed with its ratio to the first
 * condition without sign-ins; a second condition without sign-ins shows the noise of the machine.
 */
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import { PASSWORD, signUp } from "../test/support/people.ts";
import { send } from "../test/support/request.ts";
import { post } from "./send-bodies.ts";
import { startServer } from "./start-server.ts";
import { CALLS } from "./workloads.ts";

const { rounds, seconds, rate } = new Command("sign-ins")
  .description("Measures ingest beside a storm of sign-ins.")
  .option("--rounds <count>", "turns of each condition", Number, 5)
  .option("--seconds <count>", "time of each turn", Number, 8)
  .option("--rate <count>", "bodies a second", Number, 100)
  .parse()
  .opts<{ rounds: number; seconds: number; rate: number }>();

const EMAIL = "storm@people.test";
const SETTLE_MS = 1_500;
const CONDITIONS = [
  { name: "quiet", people: 0 },
  { name: "beside 30 sign-ins at once", people: 30 },
  { name: "beside 100 sign-ins at once", people: 100 },
  { name: "quiet again", people: 0 },
].map((condition) => ({ ...condition, acksMs: [] as number[], statuses: new Map<number, number>() }));
type Condition = (typeof CONDITIONS)[number];

const { ask, close, ...target } = await startServer("sign-ins-server.ts");
await signUp(target.url, EMAIL);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
await sendBodies([]);
for (let round = 0; round < rounds; round++) for (const condition of CONDITIONS) await measure(condition);
await ask("drain");
await close();
agent.destroy();

console.log(`${rate} bodies a second, ${rounds} times ${seconds} s of each condition`);
row("", "p50 ms", "ratio", "p99 ms", "ratio", "sign-ins/s", "refused/s");
for (const condition of CONDITIONS) {
  const [p50, p99] = [0.5, 0.99].map((share) => ({ ms: of(condition, share), base: of(CONDITIONS[0]!, share) }));
  const aSecond = (status: number) => ((condition.statuses.get(status) ?? 0) / (rounds * seconds)).toFixed(1);
  const cells = [p50!, p99!].flatMap(({ ms, base }) => [ms.toFixed(1), `${(ms / base).toFixed(2)}x`]);
  row(condition.name, ...cells, aSecond(200), aSecond(503));
}

async function measure({ people, acksMs, statuses }: Condition): Promise<void> {
  const storm = new AbortController();
  const storming = Array.from({ length: people }, () => signInUntil(storm.signal, statuses));
  await delay(SETTLE_MS);
  await sendBodies(acksMs);
  storm.abort();
  await Promise.all(storming);
}

/** Sends each body at its time, and adds the times of the answers to `acksMs`. */
async function sendBodies(acksMs: number[]): Promise<void> {
  const bodies = CALLS.bodies(rate * seconds);
  const startedMs = performance.now();
  const sends = bodies.map(async ({ gzip }, at) => {
    const dueMs = startedMs + (at * 1_000) / rate;
    await delay(Math.max(0, dueMs - performance.now()));
    const { status } = await post(agent, target, gzip);
    if (status !== 200) throw new Error(`HTTP ${status}`);
    acksMs.push(performance.now() - dueMs);
  });
  await Promise.all(sends);
}

/** Signs in again and again, each time from another client address. After a refusal, waits as long as the answer asks for. */
async function signInUntil(signal: AbortSignal, statuses: Map<number, number>): Promise<void> {
  const json = { email: EMAIL, password: PASSWORD };
  while (!signal.aborted) {
    const { status, headers } = await send(target.url, { method: "POST", path: "/api/auth/sign-in/email", json });
    if (status !== 200 && status !== 503) throw new Error(`a sign-in was answered with ${status}`);
    if (!signal.aborted) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const seconds = Number(headers.get("retry-after") ?? 0);
    await delay(seconds * 1_000, undefined, { signal }).catch(() => undefined);
  }
}

function of({ acksMs }: Condition, share: number): number {
  return acksMs.toSorted((a, b) => a - b)[Math.floor(acksMs.length * share)]!;
}

function row(name: string, ...cells: string[]): void {
  console.log(`  ${name.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join("")}`);
}
