import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodyOf, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import type { ChildTask } from "../support/ingest-child.ts";
import { random } from "../support/livekit-request.ts";

const KILLS = 30;
const IN_FLIGHT = 16;
const CHILD = join(import.meta.dirname, "../support/ingest-child.ts");

const next = random(Date.now());
/** Most bodies are small; some fill a commit, or are split by its end. */
const spansOf = (trace: number) => (trace % 25 === 0 ? 9_000 : 1 + ((trace * 7) % 40));

const bodies = new Map<number, Buffer>();
function encoded(trace: number): Buffer {
  let body = bodies.get(trace);
  if (body === undefined) {
    [body] = bodyOf(
      1,
      Array.from({ length: spansOf(trace) }, (_, i) => spanOf(trace, i)),
    ).chunks;
    bodies.set(trace, body!);
  }
  return body!;
}

/** Sends bodies to a child until it is killed; `waiting` receives the bodies without an acknowledgement. */
async function oneLife(
  dataDir: string,
  lifeMs: number,
  acknowledged: Set<number>,
  waiting: number[],
  fresh: () => number,
) {
  const child: ChildProcess = fork(CHILD, [dataDir], {
    execArgv: ["--conditions=svc-source"],
    serialization: "advanced",
  });
  const pending = new Set<number>();
  const send = () => {
    const trace = waiting.shift() ?? fresh();
    pending.add(trace);
    child.send({ number: trace, body: encoded(trace) } satisfies ChildTask, () => undefined);
  };
  child.on("message", (message: number | "ready") => {
    if (message === "ready") {
      setTimeout(() => child.kill("SIGKILL"), lifeMs);
      for (let i = 0; i < IN_FLIGHT; i++) send();
      return;
    }
    acknowledged.add(message);
    pending.delete(message);
    send();
  });
  const dying = lifeMs < 0 && setTimeout(() => child.kill("SIGKILL"), -lifeMs);
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  if (dying) clearTimeout(dying);
  expect(signal).toBe("SIGKILL");
  waiting.unshift(...pending);
}

test("after 30 kills under load, every acknowledged span is stored exactly once", { timeout: 540_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-kill-"));
  const acknowledged = new Set<number>();
  const waiting: number[] = [];
  let last = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // Every fifth child dies while it starts: during the replay, or during a commit of replayed spans.
    const lifeMs = kill % 5 === 4 ? -(50 + next() * 900) : 5 + next() ** 2 * 1_000;
    await oneLife(dataDir, lifeMs, acknowledged, waiting, () => ++last);
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS * 5);

  const ingest = await openIngest({ dataDir });
  await ingest.intake.drain();
  const rows = await ingest.traces(1, last + 1);
  const stored = new Map(rows.map((row) => [row.traceId, row.spans]));
  const wrong = [...acknowledged].filter((trace) => stored.get(traceIdOf(trace)) !== spansOf(trace));
  expect(wrong).toEqual([]);
  for (let trace = 1; trace <= last; trace++) {
    const found = await ingest.store.reader.find(1, traceIdOf(trace));
    const ids = found?.spans.map((span) => span.spanId) ?? [];
    const unread = found?.spans.filter((span) => span.resource["service.name"] !== "voice-agent") ?? [];
    expect(unread).toEqual([]);
    // A body without an acknowledgement is stored as a whole or not at all.
    if (found !== null || acknowledged.has(trace))
      expect([trace, ids.length, new Set(ids).size]).toEqual([trace, spansOf(trace), spansOf(trace)]);
    expect(stored.get(traceIdOf(trace))).toBe(found?.summary.spans);
  }
  await ingest.close();
  rmSync(dataDir, { recursive: true });
});
