import { Readable } from "node:stream";
import type { RunEvent } from "@svc/contract";
import type { Changes } from "./changes.ts";
import type { EventPage } from "./store/events.ts";

const HEARTBEAT_MS = 15_000;

type Subscription = {
  runId: string;
  after: number;
  changes: Changes;
  read: (after: number) => Promise<EventPage>;
  isDone: () => Promise<boolean>;
  /** Whether the credential of the request may still read the run. */
  mayContinue: () => Promise<boolean>;
  signal: AbortSignal;
};

/**
 * Yields the events after `after` as server-sent events whose id is their `seq`. Sends `done` and ends when the run is done
 * and every event was sent. A comment every 15 seconds keeps idle connections open.
 */
async function* frames({
  runId,
  after,
  changes,
  read,
  isDone,
  mayContinue,
  signal,
}: Subscription): AsyncGenerator<string> {
  let changed: Promise<void> | undefined;
  while (!signal.aborted && !changes.hasEnded() && (await mayContinue())) {
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

export const eventStream = (subscription: Subscription): Readable =>
  Readable.from(frames(subscription), { objectMode: false });
