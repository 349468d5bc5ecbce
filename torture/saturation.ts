import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Trace, TraceSummary } from "@svc/contract";
import { type Client, pages, SvcError } from "@svc/sdk";
import { bodiesOfCall, bodyFor, type CallIds } from "../bench/live-calls.ts";
import { isUnknown } from "./loads/load.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const KILLS_EACH_EPOCH = 25;
const SENDERS = 16;
const CALLS_AT_ONCE = 200;
const LIFE_MS = { least: 200, most: 1_500 };
const FINAL_MS = 180_000;
/** The number of conversations whose whole answers are compared. The rows of the lists are all compared. */
const COMPARED_WHOLE = 60;

const BODIES = bodiesOfCall(8);
const SPANS = BODIES.reduce((sum, { spans }) => sum + spans, 0);

type Sent = { ids: CallIds; body: number };

export const saturation: Scenario = {
  name: "saturation",
  shows:
    "after kill -9 at random moments while calls arrive as fast as they are answered, no acknowledged span is lost or doubled, and every conversation equals that of an undisturbed service",
  weight: 2,
  trials: "kills",
  goal: 100,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await epoch(arena, number);
  },
};

/** Kills a service on one data folder again and again, and then compares its conversations with those of a service that is not killed. */
async function epoch(arena: Arena, number: number): Promise<void> {
  const draws = arena.draws.named(`epoch ${number}`);
  const folders = ["killed", "undisturbed"].map((name) => join(arena.folder, `${name}-${number}`));
  const settings = claimed(draws);
  const start = (dataDir: string) => arena.launch({ dataDir, settings });
  const clientAt = (url: string) => clientOf(url, keysIn(settings).projectKey);
  const calls = createCalls(draws.named("calls"));
  let service = start(folders[0]!);
  for (let kill = 0; kill < KILLS_EACH_EPOCH && (kill === 0 || arena.goesOn()); kill++) {
    const client = clientAt(await service.serving);
    const life = new AbortController();
    const sending = sendAll(calls, client, life.signal);
    await delay(LIFE_MS.least + draws.next() * (LIFE_MS.most - LIFE_MS.least));
    const killed = service.kill();
    life.abort();
    await Promise.all([killed, sending]);
    arena.trial();
    service = start(folders[0]!);
  }
  calls.startNoMore();
  if (arena.isPlanted) calls.take(); // this body is never sent
  const killedClient = clientAt(await service.serving);
  await sendAll(calls, killedClient);
  arena.count("calls", calls.started.length);
  arena.count("acknowledged spans", calls.started.length * SPANS);
  const undisturbed = start(folders[1]!);
  const client = clientAt(await undisturbed.serving);
  await sendAll(inOrder(calls.started), client);
  for (const fault of await differences(killedClient, client, draws))
    arena.violation(fault, { epoch: number }, folders[0]!);
  for (const each of [service, undisturbed]) await each.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

type Source = { take: () => Sent | undefined; giveBack: (sent: Sent) => void };

/** Creates calls, many of which take place at the same time. When a call ends, another one starts. */
function createCalls(draws: Draws): Source & { started: CallIds[]; startNoMore: () => void } {
  const started: CallIds[] = [];
  const open: { ids: CallIds; next: number }[] = [];
  const unanswered: Sent[] = [];
  let starts = true;

  function take(): Sent | undefined {
    const again = unanswered.shift();
    if (again !== undefined) return again;
    for (let missing = starts ? CALLS_AT_ONCE - open.length : 0; missing > 0; missing--) {
      const ids = { traceId: draws.bytes(16), job: Buffer.from(`AJ_${draws.hex(12)}`) };
      started.push(ids);
      open.push({ ids, next: 0 });
    }
    if (open.length === 0) return undefined;
    const at = draws.whole(0, open.length - 1);
    const call = open[at]!;
    const sent = { ids: call.ids, body: call.next++ };
    if (call.next === BODIES.length) open.splice(at, 1);
    return sent;
  }

  return { started, take, giveBack: (sent) => void unanswered.push(sent), startNoMore: () => void (starts = false) };
}

/** Returns the bodies of the calls, one call after another. */
function inOrder(calls: readonly CallIds[]): Source {
  const waiting = calls.flatMap((ids) => BODIES.map((_, body) => ({ ids, body }))).toReversed();
  return { take: () => waiting.pop(), giveBack: (sent) => void waiting.push(sent) };
}

/** Sends bodies until none is left or `signal` aborts. A body without an answer is sent again, as by an exporter. */
async function sendAll(source: Source, client: Client, signal?: AbortSignal): Promise<void> {
  const send = async () => {
    for (let sent = source.take(); sent !== undefined; sent = source.take()) {
      try {
        const body = bodyFor(BODIES[sent.body]!, sent.ids);
        await client.traces.ingest({ body, contentType: "application/x-protobuf", gzip: true });
      } catch (error) {
        source.giveBack(sent);
        if (signal?.aborted) return;
        if (!isUnknown(error) && !(error instanceof SvcError && error.status === 503)) throw error;
        await delay(50);
      }
      if (signal?.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** Returns a sentence for each conversation that the two services show differently. */
async function differences(killed: Client, undisturbed: Client, draws: Draws): Promise<string[]> {
  const [rows, expected] = [await finalRows(killed), await finalRows(undisturbed)];
  const faults = [...new Set([...rows.keys(), ...expected.keys()])].flatMap((traceId) => {
    const [row, other] = [rows.get(traceId), expected.get(traceId)];
    if (isDeepStrictEqual(row, other)) return [];
    return [`${traceId}: ${JSON.stringify(row)} instead of ${JSON.stringify(other)}`];
  });
  for (const traceId of draws.shuffled([...expected.keys()]).slice(0, COMPARED_WHOLE)) {
    const [trace, other] = await Promise.all(
      [killed, undisturbed].map(async (client) => trueEverywhere(await client.traces.get({ traceId }))),
    );
    if (!isDeepStrictEqual(trace, other)) faults.push(`${traceId}: its spans, turns or measures differ`);
  }
  return faults;
}

/** Returns the rows of all conversations once all are final. After a time limit, returns the rows as they are. */
async function finalRows(client: Client): Promise<Map<string, object>> {
  const endMs = performance.now() + FINAL_MS;
  for (;;) {
    const rows: TraceSummary[] = [];
    for await (const row of pages(client.traces.list, { pageSize: 200 })) rows.push(row);
    const isFinal = rows.every(({ state, turnCount }) => state === "final" && turnCount !== null);
    if (isFinal || performance.now() > endMs) return new Map(rows.map((row) => [row.traceId, withoutReceipt(row)]));
    await delay(1_000);
  }
}

/** Removes the time of receipt and the note about late spans, the only facts that may differ between the two services. */
const withoutReceipt = <T extends TraceSummary>({ lastReceivedAt: _, qualityTopics, ...rest }: T): object => ({
  ...rest,
  qualityTopics: qualityTopics?.filter((topic) => topic !== "late_spans"),
});

const trueEverywhere = ({ quality, ...trace }: Trace): object => ({
  ...withoutReceipt(trace),
  quality: { ...quality, lateSpans: null, notes: quality.notes.filter(({ about }) => about !== "late_spans") },
});
