import { Readable } from "node:stream";
import type { RunEvent } from "@svc/contract";
import type { Changes } from "./changes.ts";
import type { EventPage } from "./store/events.ts";

const HEARTBEAT_MS = 15_000;

type Follow = {
  runId: string;
  after: number;
  changes: Changes;
  read: (after: number) => Promise<EventPage>;
  isDone: () => Promise<boolean>;
  /** Whether who asked may still read. */
  mayGoOn: () => Promise<boolean>;
  signal: AbortSignal;
};

/**
 * The events from `after` on as server-sent events, each with its `seq` as id, until the run is done and all are read; only
 * then it says so. A comment keeps idle connections open.
 */
async function* follow({ runId, after, changes, read, isDone, mayGoOn, signal }: Follow): AsyncGenerator<string> {
  let changed: Promise<void> | undefined;
  while (!signal.aborted && !changes.hasEnded() && (await mayGoOn())) {
    changed ??= changes.next(runId, HEARTBEAT_MS, signal);
    const done = await isDone();
    const page = await read(after);
    after = page.next;
    if (page.events.length > 0) yield page.events.map(frameOf).join("");
    if (!page.caughtUp) continue;
    if (done) return yield "event: done\ndata: {}\n\n";
    if (page.events.length === 0) yield ": waiting\n\n";
    await changed;
    changed = undefined;
  }
}

const frameOf = (event: RunEvent) => `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;

export const eventStream = (following: Follow): Readable => Readable.from(follow(following), { objectMode: false });
