import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { bundleChild } from "../support/bundled-child.ts";
import { random } from "../support/livekit-request.ts";
import { idsOf, openMonitored } from "../support/monitoring.ts";
import type { WireCall } from "../support/platform-a/calls.ts";
import { until } from "../support/until.ts";

const KILLS = 100;
const CALLS_EACH_LIFE = 10;
const HOUR = 3_600_000;

const next = random(Date.now());

/** Runs a child and kills it when `isOver` returns true, or a second after it began to import. */
async function oneLife([path, ...args]: [string, string, string], isOver: (aliveMs: number) => boolean) {
  const begunMs = performance.now();
  const child = fork(path, args);
  const kill = () => child.kill("SIGKILL");
  const watch = setInterval(() => isOver(performance.now() - begunMs) && kill(), 2);
  child.once("message", () => setTimeout(kill, 1_000));
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearInterval(watch);
  expect(signal).toBe("SIGKILL");
}

const spansOf = (call: WireCall) => callToSpans(readCall(call)!).resourceSpans[0].scopeSpans[0].spans.length;

test("after 100 kills during imports, every call is one complete conversation", { timeout: 900_000 }, async () => {
  const m = await openMonitored({ pace: { pollMs: 1_000, lateMs: HOUR } });
  const child = await bundleChild("monitoring-child");
  const p = await m.project(2);
  await p.save();
  await m.server().close();

  const calls: WireCall[] = [];
  let readingLives = 0;
  for (let life = 0; life < KILLS; life++) {
    const fresh = Array.from({ length: CALLS_EACH_LIFE }, (_, n) =>
      p.callBefore(5 + next() * 100, { agentId: p.agentIds[n % 2]! }),
    );
    calls.push(...fresh);
    m.fake.addCalls(fresh);
    const reads = m.fake.requestsTo(/get-call/).length;
    const readsOfLife = () => m.fake.requestsTo(/get-call/).length - reads;
    const [readsAtEnd, startMs] = [1 + next() * 6, 50 + next() * 400];
    // Every tenth child dies while it starts.
    const isOver = life % 10 === 9 ? (aliveMs: number) => aliveMs > startMs : () => readsOfLife() >= readsAtEnd;
    await oneLife([child.path, m.dataDir, m.fake.url], isOver);
    if (readsOfLife() > 0) readingLives++;
  }
  process.stdout.write(`${readingLives} of ${KILLS} processes read calls before they ended\n`);
  expect(readingLives).toBeGreaterThan(KILLS / 2);

  await m.restart();
  const imported = async () => (await p.conversations()).length >= calls.length;
  await until("all calls are conversations", imported, 120_000);
  await p.active();
  expect(await p.conversations()).toEqual(idsOf(calls));
  const expected = new Map(calls.map((call) => [call.call_id, spansOf(call)]));
  for await (const { conversationId, spanCount, traceCount } of p.traces()) {
    expect([conversationId, spanCount, traceCount]).toEqual([conversationId, expected.get(conversationId!), 1]);
  }
  const { agents, last_received_at } = await p.setup();
  expect(agents.map(({ open_failures }) => open_failures)).toEqual([0, 0]);
  expect(last_received_at).not.toBeNull();
  await m.stop();
  rmSync(child.folder, { recursive: true });
});
